//! The stack of a frame, as on a card: it grows downwards, by multiples of 8 bytes, from the limit of the launch to the frame's own variables.
//! "More" of each op: the row of the stack pointer, and that of the lowest address.
use crate::exec::view::{Answer, Lanes, Op, WARP, lane, plainly};
use crate::fault::Fault;
use ptx::isa::{Form, Refusal};

/// The stack pointer as a frame is entered.
pub fn begin(form: &Form) -> Answer {
    of_64_bits(form)?;
    Ok(plainly(|lanes, op| {
        let bytes = u64::from(lanes.context.launch.facts.stack_bytes);
        let lowest = lanes.get::<u64>(op.a);
        lanes.set(op.dst, lowest.map(|lowest| lowest + bytes));
    }))
}

pub fn alloca(form: &Form) -> Answer {
    of_64_bits(form)?;
    Ok(plainly(|lanes: &mut Lanes, op: &Op| {
        let [pointer, lowest] = [0, 1].map(|i| lanes.get::<u64>(lanes.more(op, i)));
        let (bytes, align) = (lanes.get::<u64>(op.a), lanes.get::<u64>(op.b)[0].max(8));
        let at: [u64; WARP] = lane::array(|lane| pointer[lane].wrapping_sub(bytes[lane]) & !(align - 1));
        let full = lanes.mask & lanes.pack(|lane| at[lane] < lowest[lane] || at[lane] > pointer[lane]);
        if full != 0 {
            let lane = full.trailing_zeros() as usize;
            let (at, left) = (lanes.context.place(op.site, full), pointer[lane] - lowest[lane]);
            lanes.context.stop(Fault::StackFull { at, bytes: bytes[lane], left });
            lanes.mask = 0;
            return;
        }
        lanes.set(op.dst, at);
        lanes.set(lanes.more(op, 0), at);
    }))
}

pub fn stacksave(form: &Form) -> Answer {
    of_64_bits(form)?;
    Ok(plainly(|lanes, op| lanes.set(op.dst, lanes.get::<u64>(lanes.more(op, 0)))))
}

pub fn stackrestore(form: &Form) -> Answer {
    of_64_bits(form)?;
    Ok(plainly(|lanes, op| lanes.set(lanes.more(op, 0), lanes.get::<u64>(op.a))))
}

/// Addresses of 32 bits are not modelled.
fn of_64_bits(form: &Form) -> Result<(), Refusal> {
    refuse_if!(form.widths[0].max(form.widths[1]) != 64, Refusal::NotModelled);
    Ok(())
}
