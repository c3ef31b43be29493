//! Modules and their kernels by handle.
use crate::interface::Cause;
use crate::objects::modules::function::Function;
use crate::objects::modules::loaded::Loaded;
use crate::objects::modules::module::Module;
use crate::state::Driver;
use std::sync::Arc;

impl Driver {
    /// Enters a module that was loaded into a context.
    pub fn enter_module(&mut self, context: usize, loaded: Arc<Loaded>) -> Result<usize, Cause> {
        let device = self.contexts.get(context)?.device;
        for global in &loaded.globals {
            self.remember_global(device, context, global.address, global.bytes);
        }
        Ok(self.modules.insert(Module { context, loaded }))
    }

    /// A kernel's handle; the same name has the same handle.
    pub fn function_handle(&mut self, module: usize, name: &str) -> Result<usize, Cause> {
        let found = self.modules.get(module)?;
        let index = found.loaded.kernel(name)?;
        if let Some((handle, _)) = self.functions.iter().find(|(_, f)| f.module == module && f.index == index) {
            return Ok(handle);
        }
        let function = Function::new(module, self.modules.get(module)?, index, name)?;
        Ok(self.functions.insert(function))
    }
}
