//! Stopping a run: calls under way finish, new ones are refused.

use std::sync::Arc;

use tokio::sync::watch;

/// A flag that all models of a run share. Once raised it stays up.
#[derive(Clone, Debug)]
pub struct Stop {
    flag: Arc<watch::Sender<bool>>,
}

impl Stop {
    /// A flag that is down.
    pub fn new() -> Self {
        Self {
            flag: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Raises it: from now on calls that have not begun end in [`super::CallError::Stopped`].
    pub fn stop(&self) {
        self.flag.send_replace(true);
    }

    /// Whether it is up.
    pub fn is_stopped(&self) -> bool {
        *self.flag.borrow()
    }

    /// Returns when it is up.
    pub async fn stopped(&self) {
        let mut flag = self.flag.subscribe();
        // An error would mean that the sender is gone, and it lives in `self`.
        let _ = flag.wait_for(|stopped| *stopped).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
