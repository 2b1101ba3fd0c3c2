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
pub struct CallTask {
    steps: Option<watch::Sender<TaskStep>>,
}

/// The steps of a task that its client asked to hear of.
#[derive(Debug)]
pub struct CallProgress {
    token: ProgressToken,
    steps: watch::Receiver<TaskStep>,
}

impl CallTask {
    /// Returns the task of a request, and its progress if the client asked for it.
    pub fn new(context: &RequestContext<RoleServer>) -> (CallTask, Option<CallProgress>) {
        let Some(token) = context.meta.get_progress_token() else { return (CallTask { steps: None }, None) };
        let (sender, steps) = watch::channel(TaskStep::default());
        (CallTask { steps: Some(sender) }, Some(CallProgress { token, steps }))
    }

    /// Reports a step, unless one as far was reported before.
    pub fn report(&self, step: TaskStep) {
        if let Some(steps) = &self.steps {
            steps.send_if_modified(|last| {
                let is_further = step.done > last.done;
                if is_further {
                    *last = step;
                }
                is_further
            });
        }
    }
}

/// Returns the value of `work`, and meanwhile notifies the client of its progress.
///
/// # Errors
/// The client cancelled the request. It ignores this error.
pub async fn while_wanted<T>(
    context: &RequestContext<RoleServer>,
    progress: Option<CallProgress>,
    work: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    let notify = async {
        if let Some(progress) = progress {
            progress.notify(context).await;
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

impl CallProgress {
    /// Sends all steps.
    async fn notify(mut self, context: &RequestContext<RoleServer>) {
        while self.steps.changed().await.is_ok() {
            let step = self.steps.borrow_and_update().clone();
            // Both counts stay far below the numbers that f64 cannot hold.
            let mut params =
                ProgressNotificationParam::new(self.token.clone(), step.done as f64).with_message(step.message);
            params.total = step.total.map(|n| n as f64);
            if context.peer.notify_progress(params).await.is_err() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
