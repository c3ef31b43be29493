//! A test file on the simulator: parsed, lowered and launched, without the driver.
use crate::case::Case;
use simulator::exec::launch::{self, Request, Settings};
use simulator::exec::op::Level;
use simulator::lower::image::{function_address, image, variables};
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::program::FunctionId;
use std::collections::HashMap;

/// The output of the kernel `test`.
pub fn run(text: &str, case: &Case, level: Level) -> Result<Vec<u8>, String> {
    let module = simulator::ptx::parse(text).map_err(|error| format!("{error:?}"))?;
    let memory = Memory::new(1 << 28).map_err(|error| error.to_string())?;
    let allocate = |bytes: usize, name: &str| {
        memory.allocate(bytes.max(1) as u64, Kind::Device, name).map_err(|error| format!("{error:?}"))
    };
    let mut places = HashMap::new();
    for variable in variables(&module) {
        places.insert(variable.name, allocate(variable.bytes().unwrap_or(0) as usize, variable.name)?);
    }
    let addresses = |name: &str| places.get(name).copied().or_else(|| function_address(&module, name));
    for variable in variables(&module) {
        let bytes = image(variable, &addresses).map_err(|error| format!("{error:?}"))?;
        write(&memory, places[variable.name], &bytes)?;
    }
    let options = Options { addresses: &addresses, tier: Tier::Bare, level };
    let program = lower(&module, &options).map_err(|refused| format!("{refused:?}"))?;
    let function = program.functions.iter().position(|function| function.name == "test").ok_or("no kernel `test`")?;
    let (input, output) = (allocate(case.input().len(), "in")?, allocate(case.output_bytes(), "out")?);
    write(&memory, input, &case.input())?;
    write(&memory, output, &vec![0xa5; case.output_bytes()])?;
    let mut parameters: Vec<u8> = [input, output].iter().flat_map(|address| address.to_le_bytes()).collect();
    for map in &case.maps {
        parameters.resize(parameters.len().next_multiple_of(64), 0);
        parameters.extend(map.simulated(if map.of_output { output } else { input })?);
    }
    let request = Request {
        function: FunctionId(function as u32),
        cluster: program.functions[function].required_cluster.unwrap_or([1; 3]),
        settings: Settings { threads: 1, budget: 10_000_000, ..Settings::default() },
        resident_blocks: 1,
        ..Request::new(&program, &memory, ([case.grid, 1, 1], [case.block, 1, 1]), &parameters)
    };
    if let Some(fault) = launch::run(&request, None).fault {
        return Err(format!("{fault:?}"));
    }
    let mut left = vec![0; case.output_bytes()];
    memory.read(output, &mut left).map_err(|error| format!("{error:?}"))?;
    Ok(left)
}

fn write(memory: &Memory, address: u64, bytes: &[u8]) -> Result<(), String> {
    memory.write(address, bytes).map_err(|error| format!("{error:?}"))
}
