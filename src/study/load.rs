//! Reading a study file and checking what it means together, before any call.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::explain::Format;
use crate::judge::settings::OrderDesign;
use crate::judge::{CONTROL_ARM, Protocol};
use crate::method::{self, Method};

use super::file::{ArmEntry, ArmOrigin, StudyFile};
use super::preset;

/// A study file with the place that its relative paths start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The file.
    pub path: PathBuf,
    /// Relative paths start here.
    pub base: PathBuf,
    /// Its text, kept in the run directory.
    pub text: String,
    /// What it says.
    pub file: StudyFile,
}

/// A study file that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("cannot read the study file {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not TOML, or not of the schema.
    #[error("{path}:{line}:{column}: {key}{message}")]
    Schema {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// The key that holds it, with a colon, or empty.
        key: String,
        /// What is wrong.
        message: String,
    },
    /// It contradicts itself.
    #[error("{path}: {message}")]
    Meaning {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
}

/// Who makes traces: one method with one model and one set of settings, shown by one or more arms.
pub struct Answerer {
    /// The name of the first arm that has it.
    pub name: String,
    /// The registry's name of the method.
    pub method_name: &'static str,
    /// The method.
    pub method: Box<dyn Method>,
    /// The model's name in the study.
    pub model: String,
}

/// Explanations made elsewhere, shown by one or more arms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedAnswerer {
    /// The name of the first arm that shows them.
    pub name: String,
    /// The file that `tabjury import` wrote, as the study file has it.
    pub path: PathBuf,
}

/// An arm as the stages use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// The answerer whose traces it shows.
    pub answerer: String,
    /// How.
    pub format: Format,
}

impl Study {
    /// Reads and checks a study file.
    pub fn load(path: &Path) -> Result<Self, StudyError> {
        let text = std::fs::read_to_string(path).map_err(|source| StudyError::Read {
            path: path.to_owned(),
            source,
        })?;
        let base = path.parent().map(Path::to_owned).unwrap_or_default();
        Self::from_text(path, base, text)
    }

    /// Checks the text of a study file whose relative paths start at `base`.
    pub fn from_text(path: &Path, base: PathBuf, text: String) -> Result<Self, StudyError> {
        let mut file = parse(path, &text)?;
        preset::apply(&mut file, &text);
        let study = Self {
            path: path.to_owned(),
            base,
            text,
            file,
        };
        study.check()?;
        Ok(study)
    }

    fn wrong(&self, message: impl Into<String>) -> StudyError {
        StudyError::Meaning {
            path: self.path.clone(),
            message: message.into(),
        }
    }

    fn check(&self) -> Result<(), StudyError> {
        self.check_name("study.name", &self.file.study.name)?;
        self.check_names("models", self.file.models.iter().map(|model| model.name()))?;
        self.check_names("arms", self.file.arms.iter().map(|arm| arm.name.as_str()))?;
        self.check_names("judges", self.file.judges.iter().map(|judge| judge.name.as_str()))?;
        if self.file.arms.is_empty() {
            return Err(self.wrong("there is no [[arms]]: name at least one method to answer the samples"));
        }
        if self.file.samples.is_empty() {
            return Err(self.wrong("there is no [[samples]]: name at least one source of samples"));
        }
        for arm in &self.file.arms {
            if arm.name == CONTROL_ARM {
                return Err(self.wrong(format!(
                    "an arm is called `{CONTROL_ARM}`, which names the control; the control is part of a study unless [control] enabled = false"
                )));
            }
            self.check_origin(arm)?;
        }
        for judge in &self.file.judges {
            self.check_model(&format!("judge `{}`", judge.name), &judge.model)?;
        }
        let ranks_control = self
            .file
            .tasks
            .preference
            .as_ref()
            .is_some_and(|task| task.include_control);
        if ranks_control && !self.file.control.enabled {
            return Err(self.wrong(
                "tasks.preference.include_control asks for the control, which [control] enabled = false takes out",
            ));
        }
        for judge in &self.file.judges {
            if !(0.0..=2.0).contains(&judge.temperature) {
                return Err(self.wrong(format!(
                    "judge `{}`: temperature is {}; it must lie between 0 and 2",
                    judge.name, judge.temperature
                )));
            }
            if judge.max_tokens == 0 {
                return Err(self.wrong(format!(
                    "judge `{}`: max_tokens is 0, which leaves no room for a verdict",
                    judge.name
                )));
            }
        }
        self.check_pairs()?;
        self.check_panels()?;
        self.check_repeats()?;
        for (model, price) in &self.file.prices {
            let fits = |dollars: f64| dollars.is_finite() && dollars >= 0.0;
            if !fits(price.input_per_million) || !fits(price.output_per_million) {
                return Err(self.wrong(format!(
                    "prices of `{model}`: a price is a number of US dollars from 0 up"
                )));
            }
        }
        let confidence = self.file.report.confidence;
        if !(confidence > 0.5 && confidence < 1.0) {
            return Err(self.wrong(format!(
                "report.confidence is {confidence}; it must lie between 0.5 and 1"
            )));
        }
        let report = &self.file.report;
        for (key, share) in [
            ("max_failure_share", report.max_failure_share),
            ("max_unparsed_share", report.max_unparsed_share),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(self.wrong(format!("report.{key} is {share}; it must lie between 0 and 1")));
            }
        }
        self.answerers().map(drop)
    }

    fn check_panels(&self) -> Result<(), StudyError> {
        let judges = self.file.judges.iter().map(|judge| judge.name.as_str());
        let panels = self.file.panels.iter().map(|panel| panel.name.as_str());
        self.check_names("judges]] and [[panels", judges.chain(panels))?;
        for panel in &self.file.panels {
            let wrong = |message: String| Err(self.wrong(format!("panel `{}` {message}", panel.name)));
            let distinct: BTreeSet<&String> = panel.judges.iter().collect();
            if distinct.len() < 2 || distinct.len() < panel.judges.len() {
                return wrong("names fewer than two judges, or one twice; name at least two different ones".to_owned());
            }
            if let Some(unknown) = panel
                .judges
                .iter()
                .find(|name| !self.file.judges.iter().any(|judge| judge.name == **name))
            {
                return wrong(format!("names the judge `{unknown}`, which is none of [[judges]]"));
            }
            if !(1..=panel.judges.len()).contains(&panel.quorum()) {
                return wrong(format!(
                    "has the quorum {}, but {} judges; choose from 1 to {}",
                    panel.quorum(),
                    panel.judges.len(),
                    panel.judges.len()
                ));
            }
        }
        Ok(())
    }

    /// A pair that is seen in one order alone tells the better explanation from the first one no more.
    fn check_pairs(&self) -> Result<(), StudyError> {
        let Some(task) = &self.file.tasks.preference else {
            return Ok(());
        };
        let is_half = match (task.orders, task.orders_per_sample) {
            (OrderDesign::Random, orders) => orders != Some(2),
            (_, orders) => orders == Some(1),
        };
        if task.protocol == Protocol::Pairwise && is_half {
            return Err(self.wrong(
                "tasks.preference: `pairwise` shows every pair in both orders, and these `orders` and \
                 `orders_per_sample` would show it in one; leave both out",
            ));
        }
        Ok(())
    }

    fn check_repeats(&self) -> Result<(), StudyError> {
        let tasks = &self.file.tasks;
        let repeats = [
            ("preference", tasks.preference.as_ref().map(|task| task.repeats)),
            ("simulation", tasks.simulation.as_ref().map(|task| task.repeats)),
            ("verification", tasks.verification.as_ref().map(|task| task.repeats)),
        ];
        match repeats.iter().find(|(_, repeats)| *repeats == Some(0)) {
            Some((task, _)) => Err(self.wrong(format!(
                "tasks.{task}.repeats is 0, so that nothing would be judged; leave the task out, or choose from 1 up"
            ))),
            None => Ok(()),
        }
    }

    fn check_origin(&self, arm: &ArmEntry) -> Result<(), StudyError> {
        let wrong = |message: &str| Err(self.wrong(format!("arm `{}` {message}", arm.name)));
        match arm.origin() {
            Some(ArmOrigin::Method { model, .. }) => {
                if arm.format == Some(Format::Imported) {
                    return wrong("shows what a method did; the format `imported` is for pages made elsewhere");
                }
                self.check_model(&format!("arm `{}`", arm.name), model)
            }
            Some(ArmOrigin::Import(_)) if !arm.settings.is_empty() => {
                wrong("imports its explanations; `settings` are those of a method, so leave them out")
            }
            Some(ArmOrigin::Import(_)) => Ok(()),
            None if arm.import.is_some() => {
                wrong("imports its explanations, so nobody answers; leave `method` and `model` out")
            }
            None if arm.method.is_none() => wrong(
                "has no `method`; name one that `tabjury methods` lists, or explanations made elsewhere with `import`",
            ),
            None => wrong("has no `model`; name one of [[models]]"),
        }
    }

    fn check_names<'a>(&self, what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), StudyError> {
        let mut seen = BTreeSet::new();
        for name in names {
            self.check_name(&format!("{what}.name"), name)?;
            if !seen.insert(name.to_lowercase()) {
                return Err(self.wrong(format!(
                    "two of [[{what}]] are called `{name}` (case apart); give each its own name"
                )));
            }
        }
        Ok(())
    }

    fn check_name(&self, what: &str, name: &str) -> Result<(), StudyError> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let fits = !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.chars().all(plain);
        if fits {
            return Ok(());
        }
        Err(self.wrong(format!(
            "{what} is {name:?}; use 1 to 64 letters, digits, `-`, `_` and `.`, not starting with `.`"
        )))
    }

    fn check_model(&self, who: &str, model: &str) -> Result<(), StudyError> {
        let names: Vec<&str> = self.file.models.iter().map(|entry| entry.name()).collect();
        if names.contains(&model) {
            return Ok(());
        }
        Err(self.wrong(format!(
            "{who} names the model `{model}`, but [[models]] has only: {}",
            names.join(", ")
        )))
    }

    /// The distinct imports, in the order of their first arms.
    pub fn imported_answerers(&self) -> Vec<ImportedAnswerer> {
        let mut answerers: Vec<ImportedAnswerer> = Vec::new();
        for entry in &self.file.arms {
            if let Some(ArmOrigin::Import(path)) = entry.origin()
                && !answerers.iter().any(|known| known.path == path)
            {
                answerers.push(ImportedAnswerer {
                    name: entry.name.clone(),
                    path: path.to_owned(),
                });
            }
        }
        answerers
    }

    /// The distinct answerers that ask a model, in the order of their first arms.
    pub fn answerers(&self) -> Result<Vec<Answerer>, StudyError> {
        let mut answerers: Vec<Answerer> = Vec::new();
        for entry in &self.file.arms {
            let Some(ArmOrigin::Method { method, model }) = entry.origin() else {
                continue;
            };
            let built = self.build(entry, method, model)?;
            if !answerers.iter().any(|known| same_answerer(known, &built)) {
                answerers.push(built);
            }
        }
        Ok(answerers)
    }

    /// The arms with the answerers they show.
    pub fn arms(&self) -> Result<Vec<Arm>, StudyError> {
        let answerers = self.answerers()?;
        let imported = self.imported_answerers();
        self.file
            .arms
            .iter()
            .map(|entry| {
                let answerer = match entry.origin() {
                    Some(ArmOrigin::Method { method, model }) => {
                        let built = self.build(entry, method, model)?;
                        let known = answerers.iter().find(|known| same_answerer(known, &built));
                        known.map(|known| known.name.clone())
                    }
                    Some(ArmOrigin::Import(path)) => {
                        let known = imported.iter().find(|known| known.path == path);
                        known.map(|known| known.name.clone())
                    }
                    None => None,
                };
                Ok(Arm {
                    name: entry.name.clone(),
                    answerer: answerer.unwrap_or_else(|| entry.name.clone()),
                    format: self.format_of(entry)?,
                })
            })
            .collect()
    }

    fn build(&self, entry: &ArmEntry, name: &str, model: &str) -> Result<Answerer, StudyError> {
        let descriptor = method::find(name).ok_or_else(|| {
            let known: Vec<&str> = method::registry().iter().map(|known| known.name).collect();
            self.wrong(format!(
                "arm `{}` names the method `{}`; known are: {}",
                entry.name,
                name,
                known.join(", ")
            ))
        })?;
        let settings = serde_json::Value::Object(entry.settings.clone().into_iter().collect());
        let method =
            (descriptor.build)(&settings).map_err(|error| self.wrong(format!("arm `{}`: {error}", entry.name)))?;
        Ok(Answerer {
            name: entry.name.clone(),
            method_name: descriptor.name,
            method,
            model: model.to_owned(),
        })
    }

    fn format_of(&self, entry: &ArmEntry) -> Result<Format, StudyError> {
        if let Some(format) = entry.format {
            return Ok(format);
        }
        let Some(ArmOrigin::Method { method, .. }) = entry.origin() else {
            return Ok(Format::Imported);
        };
        let default = method::find(method).map_or("none", |descriptor| descriptor.default_format);
        serde_json::from_value(serde_json::Value::from(default))
            .map_err(|error| self.wrong(format!("arm `{}` has no format: {error}", entry.name)))
    }

    /// A path of the study file, from the place its relative paths start at.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }
}

fn same_answerer(one: &Answerer, other: &Answerer) -> bool {
    one.method_name == other.method_name && one.model == other.model && one.method.settings() == other.method.settings()
}

fn parse(path: &Path, text: &str) -> Result<StudyFile, StudyError> {
    let located = |span: Option<std::ops::Range<usize>>, key: String, message: String| {
        let offset = span.map_or(0, |span| span.start).min(text.len());
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
        StudyError::Schema {
            path: path.to_owned(),
            line,
            column,
            key,
            message: message.trim().to_owned(),
        }
    };
    let document = toml::Deserializer::parse(text)
        .map_err(|error| located(error.span(), String::new(), error.message().to_owned()))?;
    serde_path_to_error::deserialize(document).map_err(|error| {
        let key = match error.path().to_string() {
            root if root == "." => String::new(),
            key => format!("{key}: "),
        };
        let inner = error.into_inner();
        located(inner.span(), key, inner.message().to_owned())
    })
}
