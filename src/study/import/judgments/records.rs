//! Rows into samples, trials and judgments. What the log does not have is absent, and counted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::super::ImportError;
use super::mapping::{AnswerFrom, Mapping, TextFrom};
use super::rows::Row;
use super::values;
use crate::dataset::score::score;
use crate::dataset::{Gold, Sample};
use crate::judge::{CONTROL_ARM, Judgment, NoVerdict, Outcome, Protocol, Task, Trial, Verdict, suspect};
use crate::table::Table;

/// What a log came to.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) samples: Vec<Sample>,
    pub(super) trials: Vec<Trial>,
    pub(super) judgments: Vec<Judgment>,
    /// In the order in which they first stand in the log.
    pub(super) arms: Vec<String>,
    pub(super) judges: Vec<String>,
    /// Answers that were judged, right answers and words on them that were read.
    pub(super) predictions: u64,
    pub(super) golds: u64,
    pub(super) read_labels: u64,
    /// Answers that were judged and are spelled as the mapping does not say.
    pub(super) unread_predictions: u64,
    /// Right answers that are spelled so, and words on whether an answer is right.
    pub(super) unread_gold: u64,
    pub(super) unread_labels: u64,
    /// Rankings that could not be read and of which it is not known what they ranked.
    pub(super) rankings_without_arms: u64,
    /// Samples whose right answer differs between rows, and is therefore left out.
    pub(super) conflicting_gold: u64,
    /// Rows that say of an answer that it is right, or wrong, where the data set's own scoring says otherwise.
    pub(super) labels_against_scoring: u64,
}

/// A row's place and fields, for messages.
struct Here<'a> {
    path: &'a Path,
    row: &'a Row,
}

impl Here<'_> {
    fn wrong(&self, problem: String) -> ImportError {
        ImportError::line(self.path, self.row.line, problem, "mend the log or its mapping")
    }

    /// A text that every row has to have.
    fn text(&self, from: &TextFrom) -> Result<String, ImportError> {
        let found = match (&from.field, &from.value) {
            (Some(field), _) => {
                let value = self.row.fields.get(field);
                values::text(value).ok_or_else(|| self.wrong(format!("it has no `{field}`")))?
            }
            (None, value) => value.clone().unwrap_or_default(),
        };
        let mut text = found.as_str();
        if let Some(mark) = &from.after_last {
            text = text.rsplit(mark.as_str()).next().unwrap_or(text);
        }
        if let Some(ending) = &from.strip_suffix {
            text = text.strip_suffix(ending.as_str()).unwrap_or(text);
        }
        let text = text.trim();
        if text.is_empty() {
            return Err(self.wrong(format!("{found:?} leaves no name")));
        }
        Ok(text.to_owned())
    }
}

/// Makes the records of a log.
pub(super) fn make(path: &Path, mapping: &Mapping, rows: &[Row]) -> Result<Records, ImportError> {
    check_fields(path, mapping, rows)?;
    let mut maker = Maker {
        mapping,
        records: Records::default(),
        gold: BTreeMap::new(),
        known_arms: BTreeSet::new(),
        known_judges: BTreeSet::new(),
        seen: BTreeMap::new(),
        trials: BTreeMap::new(),
        labels: Vec::new(),
    };
    for row in rows {
        maker.row(&Here { path, row })?;
    }
    Ok(maker.finish())
}

/// A field that no row has is a mistake of the mapping, and not a log without answers.
fn check_fields(path: &Path, mapping: &Mapping, rows: &[Row]) -> Result<(), ImportError> {
    let answers = [&mapping.prediction, &mapping.gold, &mapping.right];
    let texts = [Some(&mapping.sample), Some(&mapping.judge), mapping.arm.as_ref()];
    let order = mapping.shown_order.as_ref().and_then(|order| order.field.as_ref());
    let named = [&mapping.verdict.field]
        .into_iter()
        .chain(answers.into_iter().flatten().map(|answer| &answer.field))
        .chain(texts.into_iter().flatten().filter_map(|text| text.field.as_ref()))
        .chain(order);
    for field in named {
        if !rows.iter().any(|row| row.fields.contains_key(field)) {
            let has: BTreeSet<&str> = rows
                .iter()
                .flat_map(|row| row.fields.keys().map(String::as_str))
                .collect();
            let has: Vec<&str> = has.into_iter().collect();
            return Err(ImportError::file(
                path,
                format!("no row has a field `{field}`"),
                format!("name one of: {}", has.join(", ")),
            ));
        }
    }
    Ok(())
}

/// What the rows of a sample say is the right answer.
#[derive(Debug, PartialEq)]
enum SeenGold {
    /// Nothing yet.
    Absent,
    /// One answer, by some rows or all.
    One(Gold),
    /// Different ones.
    Contradicts,
}

struct Maker<'a> {
    mapping: &'a Mapping,
    records: Records,
    /// The right answer of each sample.
    gold: BTreeMap<String, SeenGold>,
    known_arms: BTreeSet<String>,
    known_judges: BTreeSet<String>,
    /// How often each judge has seen a trial.
    seen: BTreeMap<(String, String), u32>,
    trials: BTreeMap<String, ()>,
    /// Rows with a label: sample, trial's prediction and label.
    labels: Vec<(String, crate::dataset::Answer, bool)>,
}

impl Maker<'_> {
    fn note_arm(&mut self, here: &Here<'_>, arm: &str) -> Result<(), ImportError> {
        if arm == CONTROL_ARM {
            return Err(ImportError::line(
                here.path,
                here.row.line,
                format!("an arm is called `{arm}`, which names the control of a study that was run here"),
                "call it otherwise in the log, such as no_explanation, and name it under control_arms of the mapping",
            ));
        }
        note(&mut self.records.arms, &mut self.known_arms, arm);
        Ok(())
    }

    fn row(&mut self, here: &Here<'_>) -> Result<(), ImportError> {
        let mapping = self.mapping;
        let fields = &here.row.fields;
        let sample = here.text(&mapping.sample)?;
        let judge = here.text(&mapping.judge)?;
        note(&mut self.records.judges, &mut self.known_judges, &judge);
        self.gold(&sample, fields);
        if mapping.task == Task::Preference {
            return self.rankings(here, &sample, &judge);
        }
        let arm = match &mapping.arm {
            Some(arm) => here.text(arm)?,
            None => String::new(),
        };
        self.note_arm(here, &arm)?;
        let kind = mapping.question();
        let prediction = mapping.prediction.as_ref().and_then(|from| {
            let found = values::answer(kind, from, fields.get(&from.field));
            self.records.predictions += u64::from(found.is_some());
            self.records.unread_predictions += u64::from(found.is_none());
            found
        });
        let recorded = mapping.right.as_ref().and_then(|from| {
            let found = recorded_truth(from, fields);
            self.records.read_labels += u64::from(found.is_some());
            self.records.unread_labels += u64::from(found.is_none() && stands(fields, from));
            found
        });
        if let (Some(prediction), Some(right)) = (&prediction, recorded) {
            self.labels.push((sample.clone(), prediction.clone(), right));
        }
        let value = fields.get(&mapping.verdict.field);
        let from = mapping.verdict.as_answer();
        let verdict = match mapping.task {
            Task::Verification => values::text(value)
                .and_then(|text| values::truth(&from, &text))
                .map(Verdict::Correct),
            _ => values::answer(kind, &from, value).map(Verdict::Guess),
        };
        let outcome = match verdict {
            Some(verdict) => Outcome::Verdict(verdict),
            None => unparsed("it is none of the values that the mapping lists".to_owned()),
        };
        let trial = Trial {
            id: String::new(),
            task: mapping.task,
            sample,
            kind,
            arms: vec![arm.clone()],
            suspects: suspect::together([prediction
                .as_ref()
                .map(|answer| suspect::of_answer(&arm, &answer.display()))
                .unwrap_or_default()]),
            labels: vec![arm],
            options: Vec::new(),
            prediction,
            control_of: Vec::new(),
            recorded_right: recorded,
            repeat: 0,
            turn: 0,
            protocol: Protocol::Ranking,
            ties: false,
            descriptions: Vec::new(),
        };
        self.judgment(trial, &judge, values::text(value), outcome);
        Ok(())
    }

    fn rankings(&mut self, here: &Here<'_>, sample: &str, judge: &str) -> Result<(), ImportError> {
        let mapping = self.mapping;
        let fields = &here.row.fields;
        let shown = match &mapping.shown_order {
            Some(order) => match (&order.field, &order.value) {
                (Some(field), _) => values::arm_list(fields.get(field))
                    .ok_or_else(|| here.wrong(format!("`{field}` is no list of arms")))?,
                (None, value) => value.clone().unwrap_or_default(),
            },
            None => Vec::new(),
        };
        // Without the order shown, arms are at least known where the mapping lists them.
        let known = if shown.is_empty() {
            mapping.methods.keys().cloned().collect()
        } else {
            shown
        };
        let value = fields.get(&mapping.verdict.field);
        let each: Vec<Option<&Value>> = match (mapping.verdict.each, value) {
            (false, value) => vec![value],
            (true, Some(Value::Array(items))) => items.iter().map(Some).collect(),
            (true, _) => return Err(here.wrong(format!("`{}` is no list of rankings", mapping.verdict.field))),
        };
        let form = mapping.verdict.ranking.unwrap_or(super::mapping::RankingForm::List);
        for (turn, value) in (0..).zip(each) {
            let (arms, outcome) = match values::ranking(form, &known, value) {
                Ok(ranked) => {
                    let mut arms = if known.is_empty() {
                        ranked.clone()
                    } else {
                        known.clone()
                    };
                    if mapping.shown_order.is_none() {
                        arms.sort();
                    }
                    (arms, Outcome::Verdict(Verdict::Ranking(ranked)))
                }
                Err(unread) => (
                    known.clone(),
                    Outcome::None {
                        state: unread.state,
                        detail: unread.detail,
                    },
                ),
            };
            self.records.rankings_without_arms += u64::from(arms.is_empty());
            for arm in &arms {
                self.note_arm(here, arm)?;
            }
            let trial = Trial {
                id: String::new(),
                task: Task::Preference,
                sample: sample.to_owned(),
                kind: mapping.question(),
                labels: arms.clone(),
                arms,
                options: Vec::new(),
                prediction: None,
                control_of: Vec::new(),
                recorded_right: None,
                repeat: 0,
                turn,
                protocol: Protocol::Ranking,
                ties: false,
                descriptions: Vec::new(),
                suspects: Vec::new(),
            };
            self.judgment(trial, judge, values::text(value), outcome);
        }
        Ok(())
    }

    fn gold(&mut self, sample: &str, fields: &Map<String, Value>) {
        let from = self.mapping.gold.as_ref();
        let found = from.and_then(|from| values::answer(self.mapping.question(), from, fields.get(&from.field)));
        if from.is_some_and(|from| found.is_none() && stands(fields, from)) {
            self.records.unread_gold += 1;
        }
        let known = self.gold.entry(sample.to_owned()).or_insert(SeenGold::Absent);
        let Some(found) = found.map(values::gold) else {
            return;
        };
        self.records.golds += 1;
        match known {
            SeenGold::Absent => *known = SeenGold::One(found),
            SeenGold::One(one) if *one != found => {
                *known = SeenGold::Contradicts;
                self.records.conflicting_gold += 1;
            }
            SeenGold::One(_) | SeenGold::Contradicts => {}
        }
    }

    /// The same trial before the same judge again is another draw of it.
    fn judgment(&mut self, mut trial: Trial, judge: &str, raw: Option<String>, outcome: Outcome) {
        let repeat = self.seen.entry((trial.identity(), judge.to_owned())).or_default();
        trial.repeat = *repeat;
        *repeat += 1;
        let trial = trial.identified();
        self.records.judgments.push(Judgment {
            trial: trial.id.clone(),
            judge: judge.to_owned(),
            call: None,
            raw,
            outcome,
            asked: None,
            repair: None,
            confidence: None,
        });
        if self.trials.insert(trial.id.clone(), ()).is_none() {
            self.records.trials.push(trial);
        }
    }

    fn finish(mut self) -> Records {
        let kind = self.mapping.question();
        self.records.samples = self
            .gold
            .into_iter()
            .map(|(id, gold)| Sample {
                id,
                dataset: self.mapping.dataset,
                kind,
                table_id: String::new(),
                caption: None,
                table: Table::default(),
                question: String::new(),
                gold: match gold {
                    SeenGold::One(gold) => Some(gold),
                    SeenGold::Absent | SeenGold::Contradicts => None,
                },
                groups: BTreeMap::new(),
            })
            .collect();
        let samples: BTreeMap<&str, &Sample> = self
            .records
            .samples
            .iter()
            .map(|sample| (sample.id.as_str(), sample))
            .collect();
        let against = self.labels.iter().filter(|(sample, prediction, label)| {
            let scored = samples
                .get(sample.as_str())
                .and_then(|sample| score(sample, Some(prediction)).correct());
            scored.is_some_and(|scored| scored != *label)
        });
        self.records.labels_against_scoring = against.count() as u64;
        self.records
    }
}

/// Whether a row has something in this field, read or not.
fn stands(fields: &Map<String, Value>, from: &AnswerFrom) -> bool {
    values::text(fields.get(&from.field)).is_some_and(|text| !text.trim().is_empty())
}

fn recorded_truth(from: &AnswerFrom, fields: &Map<String, Value>) -> Option<bool> {
    values::text(fields.get(&from.field)).and_then(|text| values::truth(from, &text))
}

fn unparsed(detail: String) -> Outcome {
    Outcome::None {
        state: NoVerdict::Unparsed,
        detail,
    }
}

fn note(names: &mut Vec<String>, known: &mut BTreeSet<String>, name: &str) {
    if !known.contains(name) {
        known.insert(name.to_owned());
        names.push(name.to_owned());
    }
}
