//! Watches the token file.
use crate::app::App;
use std::sync::Arc;
use std::time::Duration;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Reads the tokens again whenever their file changes, and on SIGHUP.
pub async fn watch(app: Arc<App>) {
    if !app.tokens.have_file() {
        return;
    }
    #[cfg(unix)]
    let mut hangup = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok();
    loop {
        #[cfg(unix)]
        let asked = async {
            match &mut hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        #[cfg(not(unix))]
        let asked = std::future::pending::<()>();
        let asked = tokio::time::timeout(LOOK, asked).await.is_ok();
        app.tokens.reload(asked);
    }
}
