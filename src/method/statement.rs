//! Running a statement that the model wrote, with a bounded number of repairs.

use minijinja::context;

use super::prompt;
use super::session::{ModelText, Session};
use crate::trace::AnswerFailure;

/// What a repair needs to know.
pub(super) struct RepairPlan<'a> {
    /// Purpose of the repair calls, such as `pos.repair`.
    pub(super) purpose: &'a str,
    /// What the statement was to do, in words.
    pub(super) task: &'a str,
    /// Most repairs of one statement.
    pub(super) repairs: u32,
    /// Longest table in the prompt, in estimated tokens.
    pub(super) table_tokens: usize,
}

/// Runs the statement in `reply` on the newest table, as the open step. When it does not run, the model is shown the
/// table, the columns, and every failed attempt with its error, and asked again. The step stays open on failure.
pub(super) async fn run_with_repairs(
    session: &mut Session<'_>,
    mut reply: ModelText,
    plan: &RepairPlan<'_>,
) -> Result<(), AnswerFailure> {
    let mut repairs_left = plan.repairs;
    loop {
        let Err(failure) = session.run(&reply, plan.task).await else {
            return Ok(());
        };
        if repairs_left == 0 {
            return Err(failure);
        }
        repairs_left -= 1;
        session.count_repair();
        let values = context! {
            task => prompt::one_line(plan.task),
            attempts => prompt::attempts(session.failed_attempts()),
            ..prompt::sql_table(session.table(), session.sample().caption.as_deref(), plan.table_tokens)
        };
        reply = session.ask(plan.purpose, "shared/repair.txt", values).await?;
    }
}
