//! The command line as clap reads it. Types only; what commands do with them is in their own files.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Parser, Subcommand};

use super::exit;
use super::schema::Kind;
use crate::explain::Format;
use crate::method;
use crate::study::Stage;

/// Find out whether an explanation of a table question answering model helps anyone.
#[derive(Debug, Parser)]
#[command(name = "tabjury", version, about, after_help = exit::help(), arg_required_else_help = true)]
#[command(disable_help_subcommand = true)]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Do everything a study names, or go on where it stopped.
    ///
    /// The stages are answer, explain, judge, faithfulness, analyze and report. Every answer of a model is kept before it is used, so
    /// the same command goes on after any stop without asking again. Prints the run directory; progress is on stderr.
    Run(RunArguments),
    /// Ask one question of one table, and print the answer with its explanation.
    Ask(AskArguments),
    /// Run given steps on a table without any model, and print what each did; or run a stored plan again.
    ///
    /// The steps come from a plan file, `{"steps": [{"nl": "Keep the rows of the north.", "sql": "SELECT ..."}]}`; each
    /// runs on the table that the one before left, which is called table_sql. With --from and --sample the table is that
    /// of a sample in a run, and the plan the stored one unless --plan names an edited one.
    Execute(ExecuteArguments),
    /// Take explanations made elsewhere, so that a study can compare them with others as an arm.
    ///
    /// They are pages in HTML, one a sample, with a CSV of predictions; or traces of another run, one a line. Each is checked
    /// against its sample and cleaned of all that runs, loads, links or styles; what was taken out is counted and printed.
    /// The file that is written says of each that it is imported, and an arm of a study names it: `import = "FILE"`.
    ///
    /// With --judgments a log of judgments is imported instead, as a run directory of its own that report and compare read.
    Import(ImportArguments),
    /// Build the report of a run again from what is stored, without asking any model.
    Report(ReportArguments),
    /// Set a run beside what papers print, or recompute what follows from the printed numbers alone.
    ///
    /// Of each number it says whether it can be compared, and if not why. With --published no run is looked at: the printed
    /// correlations are recomputed, percentages are turned back into counts, and what contradicts itself is listed.
    Compare(CompareArguments),
    /// Check a run: no page tells what it must not, and the lineage of every step is proven by changing its table.
    Check(CheckArguments),
    /// Say what works on this machine, and what to do about what does not.
    Doctor(DoctorArguments),
    /// List the methods: what they answer, their calls per question, their settings.
    Methods(MethodsArguments),
    /// Print the JSON Schema of the study file and of every kind of record in a run.
    Schema(SchemaArguments),
    /// Print a completion script for a shell.
    Completions(CompletionsArguments),
    /// Print the manual page (roff).
    Man,
}

/// `tabjury run`.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The study file.
    #[arg(value_name = "STUDY.toml")]
    pub(super) study: PathBuf,
    /// Only this stage; may be given several times. Default: all.
    #[arg(long = "stage", value_name = "STAGE", value_parser = stage)]
    pub(super) stages: Vec<Stage>,
    /// Only the first N samples.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Begin nothing new once N calls were made; exits with 5.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_calls: Option<u64>,
    /// Begin nothing new once so many US dollars were spent; exits with 5.
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    pub(super) max_cost: Option<f64>,
    /// Print the calls, tokens and cost that lie ahead, per model, and make none.
    #[arg(long, conflicts_with_all = ["max_calls", "max_cost"])]
    pub(super) dry_run: bool,
    /// Answer from the call store alone; a call that is not in it fails.
    #[arg(long)]
    pub(super) offline: bool,
    /// Most calls under way at once for each model, instead of what its entry in the study says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) concurrency: Option<u16>,
    /// The run directory. Default: results/<study name>.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// `tabjury ask`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("asked").required(true).args(["question", "statement"]))]
pub(super) struct AskArguments {
    /// The table: a CSV, TSV or JSONL file whose first row or keys name the columns.
    #[arg(long, value_name = "FILE")]
    pub(super) table: PathBuf,
    /// What the table is about.
    #[arg(long, value_name = "TEXT")]
    pub(super) caption: Option<String>,
    /// A question with a short answer.
    #[arg(long, value_name = "TEXT")]
    pub(super) question: Option<String>,
    /// A statement to verify.
    #[arg(long, value_name = "TEXT")]
    pub(super) statement: Option<String>,
    /// How to answer; `tabjury methods` lists them.
    #[arg(long, value_parser = PossibleValuesParser::new(method::registry().iter().map(|method| method.name)))]
    pub(super) method: String,
    /// The model's identifier at the endpoint.
    #[arg(long, value_name = "ID", required_unless_present = "script")]
    pub(super) model: Option<String>,
    /// The endpoint, OpenAI-compatible, with or without /v1.
    #[arg(
        long,
        value_name = "URL",
        env = "OPENAI_BASE_URL",
        default_value = "https://api.openai.com/v1"
    )]
    pub(super) base_url: String,
    /// The environment variable that holds the key. Default: OPENAI_API_KEY for api.openai.com and this machine, no key
    /// for other hosts.
    #[arg(long, value_name = "NAME")]
    pub(super) api_key_env: Option<String>,
    /// Take the model's answers from this JSONL file instead of an endpoint.
    #[arg(long, value_name = "FILE")]
    pub(super) script: Option<PathBuf>,
    /// A setting of the method; the value is read as TOML, else as text. May be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub(super) settings: Vec<(String, serde_json::Value)>,
    /// Also write the explanation as a page; - is stdout, and what else is said goes to stderr.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Also write the whole trace; - likewise.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

/// `tabjury execute`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).args(["table", "from"]))]
pub(super) struct ExecuteArguments {
    /// The table: a CSV, TSV or JSONL file whose first row or keys name the columns.
    #[arg(long, value_name = "FILE", requires = "plan")]
    pub(super) table: Option<PathBuf>,
    /// The steps, as JSON.
    #[arg(long, value_name = "PLAN.json")]
    pub(super) plan: Option<PathBuf>,
    /// A run directory to take a sample's table and stored plan from; nothing in it is changed.
    #[arg(long, value_name = "RUN", requires = "sample")]
    pub(super) from: Option<PathBuf>,
    /// The sample's id in that run.
    #[arg(long, value_name = "ID", requires = "from", conflicts_with = "table")]
    pub(super) sample: Option<String>,
    /// Whose trace, where several answered the sample: an answerer or an arm.
    #[arg(long, value_name = "NAME", requires = "from")]
    pub(super) answerer: Option<String>,
    /// Write the stored plan into this file, to be edited; - is stdout, and what else is said goes to stderr.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(super) write_plan: Option<PathBuf>,
    /// What the table is about, instead of what the plan says.
    #[arg(long, value_name = "TEXT", conflicts_with = "from")]
    pub(super) caption: Option<String>,
    /// The question that the last table answers, instead of what the plan says.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["from", "statement"])]
    pub(super) question: Option<String>,
    /// The statement that the last table verifies, instead of what the plan says.
    #[arg(long, value_name = "TEXT", conflicts_with = "from")]
    pub(super) statement: Option<String>,
    /// How --html shows the steps: attribution_chain, step_through, program_listing, function_chain or facts.
    #[arg(long, value_name = "FORMAT", default_value = "attribution_chain", value_parser = format)]
    pub(super) format: Format,
    /// Also write the steps as a page; - is stdout, and what else is said goes to stderr.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Also write the whole trace; - likewise.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

/// `tabjury import`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["html", "traces", "judgments"]))]
pub(super) struct ImportArguments {
    /// The samples that are explained: a study file, all samples of whose sources count; or KIND:PATH with a kind of tabfact,
    /// wikitq, fetaqa or custom, as under [[samples]] in a study.
    #[arg(
        long,
        value_name = "STUDY.toml|KIND:PATH",
        required_unless_present = "judgments",
        conflicts_with = "judgments"
    )]
    pub(super) data: Option<String>,
    /// The split of tabfact or wikitq, such as small_test.
    #[arg(long, value_name = "NAME", conflicts_with = "judgments")]
    pub(super) split: Option<String>,
    /// The folder of pages.
    #[arg(long, value_name = "FOLDER", requires = "answers")]
    pub(super) html: Option<PathBuf>,
    /// A CSV or TSV with the columns sample and prediction, and if you like html (the page's name in the folder; else
    /// SAMPLE.html), withheld_html (a page to show when the answer is withheld) and answer (the right one, to be compared).
    #[arg(long, value_name = "FILE.csv", requires = "html")]
    pub(super) answers: Option<PathBuf>,
    /// A JSONL file of traces, as `traces.jsonl` of a run; `tabjury schema trace` says their form. Lineage, calls and
    /// counters are dropped.
    #[arg(long, value_name = "FILE.jsonl")]
    pub(super) traces: Option<PathBuf>,
    /// Whose traces, where the file has those of several.
    #[arg(long, value_name = "NAME", requires = "traces")]
    pub(super) answerer: Option<String>,
    /// A log of judgments recorded elsewhere, JSONL, CSV or TSV; what is written is a run directory with its report.
    #[arg(long, value_name = "LOG", requires = "mapping")]
    pub(super) judgments: Option<PathBuf>,
    /// What the fields of the log mean.
    #[arg(long, value_name = "MAPPING.toml", requires = "judgments")]
    pub(super) mapping: Option<PathBuf>,
    /// The method that made the explanations; it is named in reports, and left out of every page.
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "judgments",
        conflicts_with = "judgments"
    )]
    pub(super) name: Option<String>,
    /// The model that answered; likewise.
    #[arg(long, value_name = "NAME", conflicts_with = "judgments")]
    pub(super) model: Option<String>,
    /// The file to write, one imported trace a line; of judgments the run directory.
    #[arg(long, value_name = "FILE.jsonl|RUN")]
    pub(super) out: PathBuf,
}

/// `tabjury report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// The run directory.
    #[arg(value_name = "RUN")]
    pub(super) run: PathBuf,
}

/// `tabjury compare`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("compared").required(true).args(["run", "published"]))]
pub(super) struct CompareArguments {
    /// The run directory.
    #[arg(value_name = "RUN")]
    pub(super) run: Option<PathBuf>,
    /// Recompute what follows from the published numbers alone.
    #[arg(long)]
    pub(super) published: bool,
    /// Also write the same as JSON.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Also write the printed text, which is Markdown, to a file.
    #[arg(long, value_name = "FILE")]
    pub(super) markdown: Option<PathBuf>,
}

/// `tabjury check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The run directory; `check.json` in it keeps every proof, and `tabjury report` shows them.
    #[arg(value_name = "RUN")]
    pub(super) run: PathBuf,
    /// The seed of the proofs. Default: the study's.
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Most runs of one step's statement; what is not settled by then is undecided.
    #[arg(long, value_name = "N")]
    pub(super) runs: Option<usize>,
    /// Most seconds for one step, behind the bounds on runs and work; what it cuts off differs between machines.
    #[arg(long, value_name = "SECONDS")]
    pub(super) seconds: Option<u64>,
    /// Most steps, as a share of all, that may be undecided or incomplete; with more the exit code is 8.
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub(super) max_unproven: f64,
}

/// `tabjury doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// Also check the models that this study names.
    #[arg(value_name = "STUDY.toml")]
    pub(super) study: Option<PathBuf>,
}

/// `tabjury methods`.
#[derive(Debug, Args)]
pub(super) struct MethodsArguments {
    /// Print JSON instead of text.
    #[arg(long)]
    pub(super) json: bool,
}

/// `tabjury schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// Only this one. Default: all, as one object with an entry a kind.
    #[arg(value_enum)]
    pub(super) kind: Option<Kind>,
    /// Write KIND.json for every kind into this directory instead.
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    pub(super) out: Option<PathBuf>,
}

/// `tabjury completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

/// Reads the name of a stage.
fn stage(name: &str) -> Result<Stage, String> {
    Stage::ALL
        .into_iter()
        .find(|stage| stage.name() == name)
        .ok_or_else(|| {
            let names: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
            format!("the stages are {}", names.join(", "))
        })
}

/// Reads the name of a format.
fn format(name: &str) -> Result<Format, String> {
    serde_json::from_value(name.into()).map_err(|error| error.to_string())
}

/// Reads an amount above 0.
fn dollars(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|amount: &f64| amount.is_finite() && *amount > 0.0)
        .ok_or_else(|| "an amount above 0, such as 2.50".to_owned())
}

/// Reads a share from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share: &f64| (0.0..=1.0).contains(share))
        .ok_or_else(|| "a share from 0 to 1, such as 0.05".to_owned())
}

/// Reads `name=value`.
fn setting(text: &str) -> Result<(String, serde_json::Value), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    let read = toml::from_str::<toml::Table>(&format!("value = {value}"))
        .ok()
        .filter(|document| document.len() == 1)
        .and_then(|mut document| document.remove("value"))
        .and_then(|value| serde_json::to_value(value).ok());
    Ok((name.to_owned(), read.unwrap_or_else(|| value.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use serde_json::json;

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn settings_are_toml_values_or_text() {
        assert_eq!(setting("shots=4").unwrap(), ("shots".to_owned(), json!(4)));
        assert_eq!(setting("fallback=false").unwrap().1, json!(false));
        assert_eq!(setting("planner=\"one_step\"").unwrap().1, json!("one_step"));
        assert_eq!(setting("planner=one_step").unwrap().1, json!("one_step"));
        assert_eq!(setting("note=a=b").unwrap().1, json!("a=b"));
        assert_eq!(setting("x=1\ny = 2").unwrap().1, json!("1\ny = 2"));
        assert!(setting("shots").is_err());
        assert!(setting("=4").is_err());
    }
}
