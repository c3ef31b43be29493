//! Pages that more than one address range may show, in this process or in another: what virtual memory management maps, and what
//! an interprocess handle names. They are an anonymous file of the host.
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::FileExt;

/// Memory without an address.
#[derive(Debug)]
pub struct Backing {
    file: File,
    bytes: u64,
}

impl Backing {
    /// Zeroed memory of whole pages.
    ///
    /// # Errors
    /// The host's, where it has no more files.
    #[allow(unsafe_code)]
    pub fn new(bytes: u64) -> std::io::Result<Backing> {
        // SAFETY: a name that ends in 0, and a flag.
        let file = unsafe { libc::memfd_create(c"simulated device memory".as_ptr(), libc::MFD_CLOEXEC) };
        refuse_if!(file < 0, std::io::Error::last_os_error());
        // SAFETY: a new file, which nobody else closes.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(bytes)?;
        Ok(Backing { file, bytes })
    }

    /// The memory of a process of the same user, by the file's number there.
    ///
    /// # Errors
    /// The host's, where there is no such process or file.
    pub fn of_process(process: u32, number: RawFd) -> std::io::Result<Backing> {
        let path = format!("/proc/{process}/fd/{number}");
        Backing::from_file(File::options().read(true).write(true).open(path)?)
    }

    fn from_file(file: File) -> std::io::Result<Backing> {
        let bytes = file.metadata()?.len();
        Ok(Backing { file, bytes })
    }

    /// The file's number in this process.
    pub fn number(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// A number of its own for whoever asks, who closes it.
    ///
    /// # Errors
    /// The host's, where it has no more files.
    pub fn duplicate(&self) -> std::io::Result<RawFd> {
        Ok(self.file.try_clone()?.into_raw_fd())
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes bytes from `offset` on.
    pub fn fill(&self, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    /// Reads bytes from `offset` on.
    ///
    /// # Errors
    /// The host's, where there are fewer.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        self.file.read_exact_at(bytes, offset)
    }
}
