//! Where clients connect.

use std::fmt;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::connection::Stream;

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A Unix socket, for its owner alone.
    Unix(PathBuf),
    /// A TCP port.
    Tcp(SocketAddr),
}

impl fmt::Display for Endpoint {
    /// As clients write it: a URI of the NBD project's form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Unix(path) => write!(f, "nbd+unix:///?socket={}", path.display()),
            Endpoint::Tcp(address) => write!(f, "nbd://{address}"),
        }
    }
}

#[derive(Debug)]
enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

/// A socket that listens; a Unix socket is removed with it.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Socket,
    address: Endpoint,
    /// A descriptor that can be given up for a client when there is none left.
    spare: Option<OwnedFd>,
}

impl Listener {
    /// Listens at an address.
    pub fn bind(address: &Endpoint) -> io::Result<Listener> {
        let (socket, address) = match address {
            Endpoint::Unix(path) => {
                remove_stale(path)?;
                (Socket::Unix(bind_for_owner(path)?), address.clone())
            }
            Endpoint::Tcp(wanted) => {
                let socket = TcpListener::bind(wanted)?;
                let address = Endpoint::Tcp(socket.local_addr()?);
                (Socket::Tcp(socket), address)
            }
        };
        match &socket {
            Socket::Unix(socket) => socket.set_nonblocking(true)?,
            Socket::Tcp(socket) => socket.set_nonblocking(true)?,
        }
        let mut listener = Listener { socket, address, spare: None };
        listener.keep_spare();
        Ok(listener)
    }

    /// Where it listens; for port 0 the one that the system has chosen.
    pub fn address(&self) -> &Endpoint {
        &self.address
    }

    /// The next client, if one waits.
    pub fn accept(&mut self) -> Next {
        match self.socket.accept() {
            Ok(stream) => Next::Client(stream),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Next::None,
            // It has left again.
            Err(error) if is_of_the_client(&error) => Next::Gone,
            // The system has no room for it: the spare descriptor lets it in, to hear that.
            Err(_) => match self.spare.take().map(drop).and_then(|()| self.socket.accept().ok()) {
                Some(stream) => Next::Excess(stream),
                None => Next::Blocked,
            },
        }
    }

    /// Sets a descriptor aside again, if there is one.
    pub fn keep_spare(&mut self) {
        if self.spare.is_none() {
            self.spare = self.as_fd().try_clone_to_owned().ok();
        }
    }
}

/// What [`Listener::accept`] finds.
#[derive(Debug)]
pub(crate) enum Next {
    /// A client.
    Client(Stream),
    /// One for which the system has no descriptor: it can only be turned away.
    Excess(Stream),
    /// One that is gone again; the next one may wait.
    Gone,
    /// Nobody.
    None,
    /// Clients wait, and the system can let nobody in now.
    Blocked,
}

impl Socket {
    fn accept(&self) -> io::Result<Stream> {
        match self {
            Socket::Unix(socket) => {
                let (stream, _) = socket.accept()?;
                stream.set_nonblocking(true)?;
                Ok(Stream::Unix(stream))
            }
            Socket::Tcp(socket) => {
                let (stream, _) = socket.accept()?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }
}

/// Whether it is a client that has failed, and not this machine.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, InvalidInput};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted | InvalidInput)
}

/// Removes a socket at which nobody listens any more.
fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    if !metadata.file_type().is_socket() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "a file is there that is no socket; name another path",
        ));
    }
    if UnixStream::connect(path).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens there"));
    }
    fs::remove_file(path)
}

/// A socket that nobody else can connect to, not even for a moment: it gets its name when its mode is set.
fn bind_for_owner(path: &Path) -> io::Result<UnixListener> {
    let mut hidden = path.as_os_str().to_owned();
    hidden.push(format!(".{}", std::process::id()));
    let folder = PathBuf::from(hidden);
    fs::create_dir(&folder)?;
    let bound = || -> io::Result<UnixListener> {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        let place = folder.join("s");
        let socket = UnixListener::bind(&place)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o600))?;
        fs::rename(&place, path)?;
        Ok(socket)
    };
    let socket = bound();
    _ = fs::remove_dir_all(&folder);
    socket
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix(socket) => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Endpoint::Unix(path) = &self.address {
            _ = fs::remove_file(path);
        }
    }
}
