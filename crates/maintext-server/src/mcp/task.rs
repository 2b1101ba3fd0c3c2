//! The progress of a call, and its end when the client no longer wants it.
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use std::future::Future;
use std::time::Duration;
use tokio::sync::watch;

/// Minimum time between two notifications of one call.
const PAUSE: Duration = Duration::from_millis(250);

/// How far a call is.
#[derive(Clone, Debug, Default)]
pub struct TaskStep {
    /// Finished steps, which only grow.
    pub done: u64,
    /// All steps, if known.
    pub total: Option<u64>,
    /// What happens now.
    pub message: String,
}

/// A call that is being answered.
#[derive(Clone, Debug)]
pub struct CallTask(watch::Sender<TaskStep>);

impl CallTask {
    /// Returns a task and the steps that it reports.
    pub fn new() -> (CallTask, watch::Receiver<TaskStep>) {
        let (sender, steps) = watch::channel(TaskStep::default());
        (CallTask(sender), steps)
    }

    /// Reports a step, unless one as far was reported before.
    pub fn report(&self, step: TaskStep) {
        self.0.send_if_modified(|last| {
            let is_further = step.done > last.done;
            if is_further {
                *last = step;
            }
            is_further
        });
    }
}

/// Returns the value of `work`, and meanwhile notifies the client of its steps if it asked for them.
///
/// # Errors
/// The client cancelled the request. It ignores this error.
pub async fn while_wanted<T>(
    context: &RequestContext<RoleServer>,
    steps: watch::Receiver<TaskStep>,
    work: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    let notify = async {
        if let Some(token) = context.meta.get_progress_token() {
            send_all(context, &token, steps).await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = context.ct.cancelled() => was_cancelled(),
        value = work => Ok(value),
        () = notify => was_cancelled(),
    }
}

fn was_cancelled<T>() -> Result<T, ErrorData> {
    Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "cancelled by the client", None))
}

async fn send_all(context: &RequestContext<RoleServer>, token: &ProgressToken, mut steps: watch::Receiver<TaskStep>) {
    while steps.changed().await.is_ok() {
        let step = steps.borrow_and_update().clone();
        // Both counts stay far below the numbers that f64 cannot hold.
        let mut params = ProgressNotificationParam::new(token.clone(), step.done as f64).with_message(step.message);
        params.total = step.total.map(|n| n as f64);
        if context.peer.notify_progress(params).await.is_err() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
