//! `nvidia-smi` of simulated cards, which `sim` puts in front of NVIDIA's: the table, `-L`, and `--query-gpu=… --format=csv`, with the answers of
//! the NVML beside it. Each process has cards of its own, so nobody else's work is seen. What is not modelled is `N/A`.
use crate::answers::{driver_version, uuid_of};
use crate::simulator::{Card, cards, start};

const USAGE: &str = "\
usage: nvidia-smi [-i INDEX]                   a table of the simulated cards
       nvidia-smi -L                           their names and identifiers
       nvidia-smi --query-gpu=FIELD,… --format=csv[,noheader][,nounits]
This program tells of the cards of sim; nothing of them can be set.";

/// As NVIDIA's ends where an argument is wrong, and where there is no driver.
const WRONG_CALL: u8 = 2;
const NO_DRIVER: u8 = 9;

/// The call's options.
#[derive(Default)]
struct Asked {
    list: bool,
    fields: Option<String>,
    format: Option<String>,
    index: Option<String>,
}

/// Returns the text that a call with these arguments prints.
///
/// # Errors
/// An exit code, and what is wrong with the call or with the driver.
pub fn told(mut arguments: impl Iterator<Item = String>) -> Result<String, (u8, String)> {
    let mut asked = Asked::default();
    while let Some(word) = arguments.next() {
        let (flag, joined) = match word.split_once('=') {
            Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
            None => (word, None),
        };
        let place = match flag.as_str() {
            "-L" | "--list-gpus" => {
                asked.list = true;
                continue;
            }
            "-h" | "--help" => return Ok(format!("{USAGE}\n")),
            "-i" | "--id" => &mut asked.index,
            "--query-gpu" => &mut asked.fields,
            "--format" => &mut asked.format,
            _ => {
                return Err((
                    WRONG_CALL,
                    format!("nvidia-smi of sim has no option `{flag}`\n  next: nvidia-smi --help"),
                ));
            }
        };
        *place = Some(
            joined
                .or_else(|| arguments.next())
                .ok_or_else(|| (WRONG_CALL, format!("{flag}: its value is missing\n  next: nvidia-smi --help")))?,
        );
    }
    let cards = start().and_then(|()| cards()).map_err(|status| {
        (
            NO_DRIVER,
            format!(
                "nvidia-smi: the simulated driver is not there (NVML's result {})\n  next: sim nvidia-smi",
                status.0
            ),
        )
    })?;
    let of_index = |index: usize, card: &Card| match asked.index.as_deref() {
        Some(wanted) => wanted == index.to_string() || wanted == uuid_of(card),
        None => true,
    };
    let chosen: Vec<(usize, &Card)> = cards.iter().enumerate().filter(|(i, card)| of_index(*i, card)).collect();
    if chosen.is_empty() {
        let wanted = asked.index.unwrap_or_default();
        return Err((WRONG_CALL, format!("no card is `{wanted}`\n  next: nvidia-smi -L lists {}", cards.len())));
    }
    match asked.fields {
        Some(fields) => {
            let format = asked.format.unwrap_or_default();
            query(&fields, &format, &chosen, cards.len()).map_err(|why| (WRONG_CALL, why))
        }
        None if asked.list => Ok(chosen
            .iter()
            .map(|(index, card)| format!("GPU {index}: {} (UUID: {})\n", card.card.name, uuid_of(card)))
            .collect()),
        None => Ok(table(&chosen)),
    }
}

const NOT_MODELLED: &str = "[N/A]";

/// A field's value and unit; `None` where there is no such field.
fn field(name: &str, index: usize, card: &Card, count: usize) -> Option<(String, &'static str)> {
    let mib = |bytes: u64| Some(((bytes >> 20).to_string(), "MiB"));
    let mhz = |hz: f64| Some((format!("{:.0}", hz / 1e6), "MHz"));
    let plain = |text: String| Some((text, ""));
    let row = &card.card;
    match name {
        "index" => plain(index.to_string()),
        "count" => plain(count.to_string()),
        "name" | "gpu_name" => plain(row.name.clone()),
        "uuid" | "gpu_uuid" => plain(uuid_of(card)),
        "pci.bus_id" | "gpu_bus_id" => plain(bus(card)),
        "driver_version" => plain(driver_version(card.interface).into()),
        "compute_cap" => {
            let (major, minor) = row.architecture.compute_capability;
            plain(format!("{major}.{minor}"))
        }
        "memory.total" => mib(card.memory_total_bytes),
        "memory.used" => mib(card.memory_used_bytes),
        "memory.free" => mib(card.memory_total_bytes - card.memory_used_bytes),
        "memory.reserved" => mib(0),
        "utilization.gpu" => Some((card.kernel_percent.to_string(), "%")),
        "utilization.memory" => Some((card.memory_percent.to_string(), "%")),
        "clocks.gr"
        | "clocks.current.graphics"
        | "clocks.sm"
        | "clocks.current.sm"
        | "clocks.max.gr"
        | "clocks.max.graphics"
        | "clocks.max.sm" => mhz(row.clock_hz),
        "clocks.mem" | "clocks.current.memory" | "clocks.max.mem" | "clocks.max.memory" => mhz(row.memory_clock_hz),
        "pcie.link.gen.current" | "pcie.link.gen.max" | "pcie.link.gen.gpucurrent" => {
            plain(row.pcie_generation.to_string())
        }
        "pcie.link.width.current" | "pcie.link.width.max" => plain(row.pcie_lanes.to_string()),
        "compute_mode" => plain("Default".into()),
        "display_active" | "display_mode" | "display_attached" => plain("Disabled".into()),
        _ => {
            // Fields of NVIDIA's that NVML answers "not supported" for here.
            let families =
                ["temperature.", "power.", "enforced.power.", "fan.", "ecc.", "mig.", "retired_pages.", "vbios_"];
            let names = ["serial", "gpu_serial", "pstate", "persistence_mode", "clocks.video", "clocks.max.video"];
            let is_known = families.iter().any(|family| name.starts_with(family)) || names.contains(&name);
            is_known.then(|| (NOT_MODELLED.to_owned(), ""))
        }
    }
}

/// The unit that stands in a field's heading, also where a card has no value.
fn unit(name: &str, card: &Card) -> Option<&'static str> {
    let of_unmodelled = [("power.", " [W]"), ("enforced.power.", " [W]"), ("fan.", " [%]")];
    let (_, unit) = field(name, 0, card, 1)?;
    let known = of_unmodelled.iter().find(|(family, _)| name.starts_with(family)).map_or("", |(_, unit)| unit);
    Some(match unit {
        "MiB" => " [MiB]",
        "MHz" => " [MHz]",
        "%" => " [%]",
        _ => known,
    })
}

fn query(fields: &str, format: &str, cards: &[(usize, &Card)], count: usize) -> Result<String, String> {
    let options: Vec<&str> = format.split(',').map(str::trim).collect();
    if let Some(unknown) = options.iter().find(|option| !["csv", "noheader", "nounits"].contains(option)) {
        return Err(format!(
            "--format={unknown} is not there\n  next: --format=csv, with noheader and nounits if wanted"
        ));
    }
    let names: Vec<&str> = fields.split(',').map(str::trim).collect();
    let (_, first) = cards[0];
    let units = names.iter().map(|name| unit(name, first).ok_or(*name)).collect::<Result<Vec<_>, _>>();
    let units = units.map_err(|name| {
        format!("Field \"{name}\" is not a valid field to query.\n  next: name, uuid, memory.total, compute_cap and others that NVML tells")
    })?;
    let mut text = String::new();
    if !options.contains(&"noheader") {
        let heads: Vec<String> = names.iter().zip(&units).map(|(name, unit)| format!("{name}{unit}")).collect();
        text += &(heads.join(", ") + "\n");
    }
    for (index, card) in cards {
        let value = |name: &&str| match field(name, *index, card, count) {
            Some((value, unit)) if !unit.is_empty() && !options.contains(&"nounits") => format!("{value} {unit}"),
            Some((value, _)) => value,
            None => NOT_MODELLED.into(),
        };
        text += &(names.iter().map(value).collect::<Vec<_>>().join(", ") + "\n");
    }
    Ok(text)
}

/// `00000000:01:00.0`
fn bus(card: &Card) -> String {
    format!("0000{}", card.pci_bus_id.to_uppercase())
}

/// The widths and words of NVIDIA's table, which scripts search.
fn table(cards: &[(usize, &Card)]) -> String {
    let interface = cards.first().map_or(0, |(_, card)| card.interface);
    let version = driver_version(interface);
    let cuda = format!("{}.{}", interface / 1000, interface % 1000 / 10);
    let (line, rule) = ("-".repeat(89), ["-".repeat(41), "-".repeat(24), "-".repeat(22)].join("+"));
    let mut text = format!(
        "+{line}+\n| NVIDIA-SMI {version:<22} Driver Version: {version:<14} CUDA Version: {cuda:<8} |\n|{rule}+\n\
         | GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n\
         | Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n\
         |                                         |                        |               MIG M. |\n|{}|\n",
        rule.replace('-', "=")
    );
    for (index, card) in cards {
        let memory = format!("{}MiB / {}MiB", card.memory_used_bytes >> 20, card.memory_total_bytes >> 20);
        text += &format!(
            "| {index:>3}  {:<29.29}  N/A | {:>18} Off |                  N/A |\n\
             | N/A   N/A    N/A             N/A /  N/A | {memory:>22} | {:>6}%      Default |\n\
             |                                         |                        |                  N/A |\n+{rule}+\n",
            card.card.name,
            bus(card),
            card.kernel_percent
        );
    }
    text + "simulated by sim; each process has cards of its own, so the work of others is not seen\n"
}
