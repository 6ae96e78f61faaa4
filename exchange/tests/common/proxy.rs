//! Connections to a server that can be cut.

use std::io::copy;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use mutagen_exchange::Address;

/// Hands connections on to a server on this machine.
pub struct Proxy {
    port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// A proxy for the server at this port.
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let port = listener.local_addr().expect("it has a port").port();
        let open: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let opened = Arc::clone(&open);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                // If the server is gone, so is the connection.
                let Ok(far) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let mut open = opened.lock().expect("nobody panics");
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let both = from.try_clone().and_then(|from| Ok((from, to.try_clone()?)));
                    let (mut from, mut to) = both.expect("it can be used twice");
                    open.push(from.try_clone().expect("it can be used again"));
                    thread::spawn(move || {
                        let _ = copy(&mut from, &mut to);
                        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                    });
                }
            }
        });
        Proxy { port, open }
    }

    pub fn address(&self) -> Address {
        format!("nats://127.0.0.1:{}", self.port).parse().expect("this is an address")
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        for connection in self.open.lock().expect("nobody panics").drain(..) {
            // It may have ended already.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}
