//! `tabjury execute`: given steps run on a table without any model, or a stored plan run again.

use std::path::Path;

use super::arguments::ExecuteArguments;
use super::ask::{give, not_blank, outputs, sample_of};
use super::exit::{Exit, Failure};
use super::printer::Printer;
use super::schema::pretty;
use super::{chain, changes, files};
use crate::dataset::{Gold, QuestionKind, Sample, score};
use crate::engine::Engine;
use crate::explain::Format;
use crate::method::replay;
use crate::method::written_plan::WrittenPlan;
use crate::study::{RunError, StoredTrace, StoredTraceError, stored_trace};
use crate::trace::{AnswerFailure, Trace};

/// What is asked where neither plan nor command line says it.
const NO_QUESTION: &str = "What do these steps give?";

/// Runs the command.
pub(super) fn run(arguments: &ExecuteArguments, printer: &Printer) -> Result<Exit, Failure> {
    shows_steps(arguments.format)?;
    let made = made(arguments);
    keep_apart(arguments, &made)?;
    let printer = &printer.beside(&made);
    let plan = arguments.plan.as_deref().map(read_plan).transpose()?;
    match (&arguments.from, plan) {
        (Some(run), plan) => run_again(arguments, run, plan, printer),
        (None, Some(plan)) => run_plan(arguments, &plan, printer),
        // The command line does not let this through.
        (None, None) => Err(Failure::message(
            Exit::Usage,
            "there is no plan",
            "name one with --plan, or a run with --from",
        )),
    }
}

/// Steps that are run have no words of a model and no page from elsewhere; a page of either would show nothing of them.
fn shows_steps(format: Format) -> Result<(), Failure> {
    let lacks = match format {
        Format::FreeText => "a model's own words, and no model is asked here",
        Format::Imported => "a page that was made elsewhere, and these steps run here",
        Format::None => "no explanation at all, and these steps are one",
        Format::AttributionChain
        | Format::StepThrough
        | Format::ProgramListing
        | Format::FunctionChain
        | Format::Facts => return Ok(()),
    };
    let others = Format::ALL.into_iter().map(Format::name);
    let others: Vec<&str> = others
        .filter(|name| !["free_text", "imported", "none"].contains(name))
        .collect();
    Err(Failure::message(
        Exit::Usage,
        format!("--format {}: that format shows {lacks}", format.name()),
        format!("choose one of {}", others.join(", ")),
    ))
}

/// A plan on a table file.
fn run_plan(arguments: &ExecuteArguments, plan: &WrittenPlan, printer: &Printer) -> Result<Exit, Failure> {
    let sample = sample(arguments, plan)?;
    let trace = replay(&Engine::default(), &sample, &plan.steps, plan.answer_columns);
    give(&sample, &trace, arguments.format, written(arguments), printer)?;
    if let (Some(answer), Some(right)) = (&trace.answer, score(&sample, trace.answer.as_ref()).correct()) {
        let verdict = if right { "That is right" } else { "That is wrong" };
        printer.data(&format!("{verdict}, by the plan's own `answer`.\n"))?;
        if !right {
            return Err(Failure::message(
                Exit::TooManyFailures,
                format!(
                    "the steps give {}, and the plan says that the answer is another",
                    answer.display()
                ),
                "mend the steps or the plan's `answer`",
            ));
        }
    }
    outcome(&trace, arguments, plan.steps.len())
}

/// The stored plan of a sample, or an edited one, on the sample's table.
fn run_again(
    arguments: &ExecuteArguments,
    run: &Path,
    plan: Option<WrittenPlan>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let id = arguments.sample.as_deref().unwrap_or_default();
    let stored = stored_trace(run, id, arguments.answerer.as_deref()).map_err(not_found)?;
    let StoredTrace { sample, trace, engine } = &stored;
    let of_trace = WrittenPlan::of_trace(sample, trace);
    if trace.imported.is_some() && (plan.is_none() || arguments.write_plan.is_some()) {
        return Err(Failure::message(
            Exit::BadInput,
            format!(
                "the explanation of `{}` was made elsewhere and imported: it has no plan that ran here, so nothing can be run again",
                trace.answerer
            ),
            "name another --answerer or --sample, or bring steps of your own with --plan",
        ));
    }
    if let Some(path) = &arguments.write_plan {
        if of_trace.steps.is_empty() {
            return Err(no_steps(trace));
        }
        files::write(path, pretty(&of_trace)?.as_bytes())?;
    }
    let plan = match plan {
        Some(plan) => {
            same_question(arguments, &plan, &of_trace)?;
            plan
        }
        None => of_trace,
    };
    if plan.steps.is_empty() {
        return Err(no_steps(trace));
    }
    let again = replay(engine, sample, &plan.steps, plan.answer_columns);
    give(sample, &again, arguments.format, written(arguments), printer)?;
    printer.data(&changes::render(sample, trace, &again))?;
    outcome(&again, arguments, plan.steps.len())
}

fn no_steps(trace: &Trace) -> Failure {
    Failure::message(
        Exit::BadInput,
        format!(
            "the stored trace of `{}` has no steps: nothing can be run again",
            trace.answerer
        ),
        "name another --answerer or --sample, or bring steps with --plan",
    )
}

fn written(arguments: &ExecuteArguments) -> (Option<&Path>, Option<&Path>) {
    (arguments.html.as_deref(), arguments.json.as_deref())
}

/// The files that the command line asks for.
fn made(arguments: &ExecuteArguments) -> Vec<files::Named<'_>> {
    let mut made = outputs(arguments.html.as_deref(), arguments.json.as_deref());
    made.extend(arguments.write_plan.as_deref().map(|path| ("--write-plan", path)));
    made
}

fn keep_apart(arguments: &ExecuteArguments, made: &[files::Named<'_>]) -> Result<(), Failure> {
    let mut inputs: Vec<files::Named<'_>> = Vec::new();
    inputs.extend(arguments.table.as_deref().map(|path| ("--table", path)));
    inputs.extend(arguments.plan.as_deref().map(|path| ("--plan", path)));
    files::keep_apart(&inputs, made)?;
    match &arguments.from {
        Some(run) => files::keep_out_of(run, made),
        None => Ok(()),
    }
}

fn read_plan(path: &Path) -> Result<WrittenPlan, Failure> {
    const NEXT: &str = "mend the plan; `tabjury schema plan` says its form";
    let text = std::fs::read_to_string(path).map_err(|error| {
        let error = anyhow::Error::new(error).context(format!("cannot read the plan {}", path.display()));
        Failure::new(Exit::BadInput, error, "name a plan file in UTF-8 with --plan")
    })?;
    WrittenPlan::read(&text)
        .map_err(|error| Failure::message(Exit::BadInput, format!("{}:{error}", path.display()), NEXT))
}

fn sample(arguments: &ExecuteArguments, plan: &WrittenPlan) -> Result<Sample, Failure> {
    let given = match (&arguments.question, &arguments.statement) {
        (None, None) => (&plan.question, &plan.statement),
        given => given,
    };
    let (kind, question) = match given {
        (_, Some(statement)) => (QuestionKind::FactVerification, statement.clone()),
        (Some(question), None) => (QuestionKind::ShortAnswer, question.clone()),
        (None, None) => (QuestionKind::ShortAnswer, NO_QUESTION.to_owned()),
    };
    if arguments.question.is_some() || arguments.statement.is_some() {
        not_blank(Some(&question))?;
    }
    let gold = plan.answer.as_ref().map(|answer| answer.gold());
    let fits = match &gold {
        None => true,
        Some(Gold::Verdict(_)) => kind == QuestionKind::FactVerification,
        Some(_) => kind == QuestionKind::ShortAnswer,
    };
    if !fits {
        let plan = arguments.plan.as_deref().unwrap_or(Path::new("the plan"));
        return Err(Failure::message(
            Exit::BadInput,
            format!("{}: its `answer` does not fit what is asked", plan.display()),
            "a statement has true or false as its answer, a question a text or a list of texts",
        ));
    }
    // The command line does not let a plan without a table through.
    let table = arguments.table.as_deref().unwrap_or(Path::new(""));
    let caption = arguments.caption.clone().or_else(|| plan.caption.clone());
    let mut sample = sample_of(table, caption, kind, question)?;
    fits_sqlite(table, sample.table.columns.len())?;
    sample.gold = gold;
    Ok(sample)
}

/// A table that no step could run on is not the steps' fault.
fn fits_sqlite(table: &Path, columns: usize) -> Result<(), Failure> {
    const MOST_COLUMNS: usize = 2000;
    let (problem, next) = match columns {
        0 => (
            "the table has no columns".to_owned(),
            "name a table whose first row or keys name columns",
        ),
        1..=MOST_COLUMNS => return Ok(()),
        many => (
            format!("the table has {many} columns, and SQLite holds {MOST_COLUMNS} at most"),
            "take out columns that the plan does not need",
        ),
    };
    Err(Failure::message(
        Exit::BadInput,
        format!("{}: {problem}", table.display()),
        next,
    ))
}

/// An edited plan of another question would be run on the wrong table.
fn same_question(arguments: &ExecuteArguments, plan: &WrittenPlan, stored: &WrittenPlan) -> Result<(), Failure> {
    let differs = |mine: &Option<String>, theirs: &Option<String>| mine.is_some() && mine != theirs;
    let name = arguments.plan.as_deref().unwrap_or(Path::new("")).display();
    let sample = arguments.sample.as_deref().unwrap_or_default();
    for (key, mine, theirs) in [
        ("question", &plan.question, &stored.question),
        ("statement", &plan.statement, &stored.statement),
        ("caption", &plan.caption, &stored.caption),
    ] {
        if differs(mine, theirs) {
            return Err(Failure::message(
                Exit::BadInput,
                format!("{name}: its `{key}` is not that of sample `{sample}`"),
                "name the sample that the plan is for, or take the key out of the plan",
            ));
        }
    }
    if plan.answer.is_some() {
        return Err(Failure::message(
            Exit::BadInput,
            format!("{name}: it has an `answer`, and a sample of a run has a gold answer of its own"),
            "take the key out of the plan",
        ));
    }
    Ok(())
}

fn not_found(error: StoredTraceError) -> Failure {
    let next = match &error {
        StoredTraceError::NoSample { .. } => "name one of the ids in samples.jsonl with --sample",
        StoredTraceError::Several { .. } => "name one of them with --answerer",
        StoredTraceError::NoTrace { answerers, .. } if answerers.is_empty() => {
            "name another --sample, or run the study to its end"
        }
        StoredTraceError::NoTrace { .. } => "name one of them with --answerer, or another --sample",
        StoredTraceError::Run(RunError::Changed(_)) => {
            "run the study again, which writes it anew (answers already given are not asked again)"
        }
        StoredTraceError::Run(_) => "name the directory of a study's run with --from",
    };
    Failure::new(Exit::BadInput, error, next)
}

/// A step that does not run is a wrong plan; a chain that ends without an answer is none.
fn outcome(trace: &Trace, arguments: &ExecuteArguments, planned: usize) -> Result<Exit, Failure> {
    let Some(failure) = trace.failure.as_ref().filter(|_| trace.answer.is_none()) else {
        return Ok(Exit::Success);
    };
    let AnswerFailure::Program { message } = failure else {
        return Err(Failure::message(
            Exit::TooManyFailures,
            format!("there is no answer: {}", chain::failure(failure)),
            "add a step whose result is the answer",
        ));
    };
    let failed = trace.steps.len();
    let plan = match &arguments.plan {
        Some(path) => path.display().to_string(),
        None => "the stored plan".to_owned(),
    };
    let rest = match planned - failed.min(planned) {
        0 => "",
        1 => "; the step after it was not run",
        _ => "; the steps after it were not run",
    };
    Err(Failure::message(
        Exit::BadInput,
        format!("{plan}: step {failed} failed: {message}{rest}"),
        "mend the step; the steps before it are printed above",
    ))
}
