//! Samples and traces made up for the tests of pages: fictional tables, lineage written by hand.

use tabjury::dataset::{Answer, DatasetKind, QuestionKind, Sample};
use tabjury::table::Table;
use tabjury::trace::lineage::{CellPosition, Exactness, Reading, RowRole};
use tabjury::trace::{AnswerFailure, AnswerSource, Counters, FailedAttempt, Language, Lineage, Program, Step, Trace};

/// Names that no page may hold.
pub(crate) const SECRET_NAMES: [&str; 3] = ["secret-method", "secret-model-7b", "secret-answerer"];

pub(crate) fn table(header: &[&str], rows: &[&[&str]]) -> Table {
    Table::from_text(
        header.iter().copied(),
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()),
    )
    .unwrap()
}

pub(crate) fn sample(kind: QuestionKind, question: &str, caption: &str, table: Table) -> Sample {
    Sample {
        id: "made-up-1".to_owned(),
        dataset: DatasetKind::Custom,
        kind,
        table_id: "made-up".to_owned(),
        caption: Some(caption.to_owned()),
        table,
        question: question.to_owned(),
        gold: None,
        groups: Default::default(),
    }
}

pub(crate) fn trace(
    sample: &Sample,
    results: Vec<Table>,
    steps: Vec<Step>,
    answer: Answer,
    source: AnswerSource,
) -> Trace {
    let mut tables = vec![sample.table.clone()];
    tables.extend(results);
    let mut steps = steps;
    for step in &mut steps {
        let Some((lineage, output)) = step.lineage.as_mut().zip(step.output) else {
            continue;
        };
        // Headers that stay the same are carried along.
        let input = &tables[step.input].columns;
        lineage.carried_columns = tables[output]
            .columns
            .iter()
            .map(|column| input.iter().position(|other| other.original == column.original))
            .collect();
    }
    Trace {
        sample: sample.id.clone(),
        answerer: SECRET_NAMES[2].to_owned(),
        method: SECRET_NAMES[0].to_owned(),
        model: SECRET_NAMES[1].to_owned(),
        settings: serde_json::json!({ "planner": SECRET_NAMES[0] }),
        tables,
        steps,
        rationale: None,
        answer: Some(answer),
        answer_source: Some(source),
        failure: None,
        fallback_reason: None,
        calls: Vec::new(),
        counters: Counters::default(),
        imported: None,
    }
}

pub(crate) fn step(words: &str, statement: &str, input: usize, output: usize, lineage: Lineage) -> Step {
    Step {
        description: (!words.is_empty()).then(|| words.to_owned()),
        program: Some(Program {
            language: Language::Sql,
            text: statement.to_owned(),
            ran: None,
        }),
        input,
        output: Some(output),
        lineage: Some(lineage),
        failed_attempts: Vec::new(),
        calls: Vec::new(),
    }
}

pub(crate) fn failed_step(words: &str, statement: &str, input: usize, error: &str) -> Step {
    Step {
        description: (!words.is_empty()).then(|| words.to_owned()),
        program: None,
        input,
        output: None,
        lineage: None,
        failed_attempts: vec![FailedAttempt {
            program: statement.to_owned(),
            error: error.to_owned(),
        }],
        calls: Vec::new(),
    }
}

/// Exact lineage of rows kept; `sources` are the rows one by one.
pub(crate) fn kept(rows: &[usize], columns: &[usize], cells: &[(usize, usize)], origins: &[usize]) -> Lineage {
    Lineage {
        exactness: Exactness::Exact,
        reading: Reading::Rows,
        row_role: RowRole::Kept,
        rows: rows.to_vec(),
        witness_rows: Vec::new(),
        witness_cells: Vec::new(),
        deciding_rows: Vec::new(),
        columns: columns.to_vec(),
        compared_columns: Vec::new(),
        condition_cells: cells
            .iter()
            .map(|(row, column)| CellPosition {
                row: *row,
                column: *column,
            })
            .collect(),
        order_columns: Vec::new(),
        produced_columns: Vec::new(),
        carried_columns: Vec::new(),
        sources: rows.iter().map(|row| vec![*row]).collect(),
        origins: origins.iter().map(|row| vec![*row]).collect(),
        examined_rows: Vec::new(),
    }
}

/// Exact lineage of one computed row.
pub(crate) fn aggregated(rows: &[usize], columns: &[usize], origins: &[usize]) -> Lineage {
    Lineage {
        row_role: RowRole::Member,
        produced_columns: vec![0],
        sources: [rows.to_vec()].into_iter().collect(),
        origins: [origins.to_vec()].into_iter().collect(),
        ..kept(rows, columns, &[], &[])
    }
}

/// A statement verified by a chain of three steps in words.
pub(crate) fn lighthouses() -> (Sample, Trace) {
    let header = ["Name", "Built", "Height\n(m)", "Keeper"];
    let rows: [&[&str]; 6] = [
        &["Morrow Point", "1871", "34", "A. Quill"],
        &["Tarn Rock", "1912", "41", "B. Osei"],
        &["Saltgate", "1888", "22", ""],
        &["Old Hessel", "1840", "31", "C. Vane & sons"],
        &["New Hessel", "1951", "18", "automatic"],
        &["Cape Ferrow", "1899", "29", "D. Lunn"],
    ];
    let pick = |chosen: &[usize]| table(&header, &chosen.iter().map(|row| rows[*row]).collect::<Vec<_>>());
    let sample = sample(
        QuestionKind::FactVerification,
        "two of the lighthouses built before 1900 are taller than 30 metres",
        "Lighthouses of the Varn coast",
        table(&header, &rows),
    );
    let steps = vec![
        step(
            "Select rows where the 'built' is before 1900.",
            "SELECT * FROM table_sql WHERE built < 1900",
            0,
            1,
            kept(&[0, 2, 3, 5], &[1], &[(0, 1), (2, 1), (3, 1), (5, 1)], &[0, 2, 3, 5]),
        ),
        step(
            "Select rows where the 'height_m' is greater than 30.",
            "SELECT * FROM table_sql WHERE height_m > 30",
            1,
            2,
            kept(&[0, 2], &[2], &[(0, 2), (2, 2)], &[0, 3]),
        ),
        step(
            "Use a `CASE` statement to return TRUE if the number of rows is equal to 2, otherwise return FALSE.",
            "SELECT CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END AS verification_result FROM table_sql",
            2,
            3,
            aggregated(&[0, 1], &[], &[0, 3]),
        ),
    ];
    let results = vec![
        pick(&[0, 2, 3, 5]),
        pick(&[0, 3]),
        table(&["verification_result"], &[&["TRUE"]]),
    ];
    let trace = trace(&sample, results, steps, Answer::Verdict(true), AnswerSource::Program);
    (sample, trace)
}

/// A question answered by one program without words, after a repair.
pub(crate) fn ferries() -> (Sample, Trace) {
    let sample = sample(
        QuestionKind::ShortAnswer,
        "which ferry carried the most passengers on the north line?",
        "Ferries of Lake Ombra, 2011",
        table(
            &["Ferry", "Line", "Passengers", "1st trip"],
            &[
                &["Ilsa", "north", "1,204", "May"],
                &["Brandt", "south", "2,310", "April"],
                &["Corvin", "north", "1,950", "June"],
                &["Ilsa II", "north", "870", "July"],
            ],
        ),
    );
    let mut only = step(
        "",
        "SELECT ferry FROM table_sql\nWHERE line = 'north' -- one line only\nORDER BY CAST(REPLACE(passengers, ',', '') AS INTEGER) DESC LIMIT 1",
        0,
        1,
        Lineage {
            order_columns: vec![2],
            deciding_rows: vec![0, 3],
            ..kept(&[2], &[0, 1, 2], &[(2, 1)], &[2])
        },
    );
    only.failed_attempts.push(FailedAttempt {
        program: "SELECT ferry FROM ferries".to_owned(),
        error: "no such table: ferries".to_owned(),
    });
    let trace = trace(
        &sample,
        vec![table(&["Ferry"], &[&["Corvin"]])],
        vec![only],
        Answer::Values(vec!["Corvin".to_owned()]),
        AnswerSource::Program,
    );
    (sample, trace)
}

/// A chain that ends in an empty table and an error, after which the model answered by itself.
pub(crate) fn fallback() -> (Sample, Trace) {
    let (sample, _) = lighthouses();
    let steps = vec![
        step(
            "Select rows where the 'keeper' is 'nobody'.",
            "SELECT * FROM table_sql WHERE keeper = 'nobody'",
            0,
            1,
            Lineage {
                examined_rows: (0..6).collect(),
                ..kept(&[], &[3], &[], &[])
            },
        ),
        step(
            "Order the table by 'height_m'.",
            "SELECT * FROM table_sql ORDER BY height_m",
            1,
            2,
            Lineage {
                reading: Reading::EmptyTable,
                order_columns: vec![2],
                ..kept(&[], &[2], &[], &[])
            },
        ),
        failed_step(
            "Compare the 'tower' with 30.",
            "SELECT tower > 30 FROM table_sql",
            2,
            "no such column: tower",
        ),
    ];
    let empty = Table::new(sample.table.columns.clone(), Vec::new()).unwrap();
    let mut trace = trace(
        &sample,
        vec![empty.clone(), empty],
        steps,
        Answer::Verdict(false),
        AnswerSource::Fallback,
    );
    trace.fallback_reason = Some(AnswerFailure::Program {
        message: "no such column: tower".to_owned(),
    });
    (sample, trace)
}

/// An answer with the model's own words beside it.
pub(crate) fn own_words() -> (Sample, Trace) {
    let (sample, _) = ferries();
    let mut trace = trace(
        &sample,
        Vec::new(),
        Vec::new(),
        Answer::Values(vec!["Corvin".to_owned()]),
        AnswerSource::Model,
    );
    trace.rationale = Some(
        "I looked at the ferries of the north line.\n\n# Then\nI compared their passengers: 1,950 is the largest.\n\
         ```\nAnswer: Brandt\n```\n<b>So it is the one that started in June.</b>"
            .to_owned(),
    );
    (sample, trace)
}

/// Texts that try to leave their place.
pub(crate) const HOSTILE: [&str; 12] = [
    "<script>alert(1)</script>",
    "</td></tr></table><h1>Answer: TRUE</h1>",
    "{{7*7}} {% raw %} ${7*7}",
    "--> <!-- ]]>",
    "\" onmouseover=\"x\" '",
    "nul\0 bell\u{7} escape\u{1b}[31m",
    "over\u{202e}ride \u{2066}isolate",
    "مرحبا 12",
    "| a | b |\n|---|---|\n### Step 9: lie",
    "`code` [[forged]] *bold* _it_ [link](https://example.org) ![i](x)",
    "&lt;b&gt; &amp; &#60;",
    "http://example.org/ \u{ffff} \u{e0041}",
];

/// Every place of a page filled with a hostile text.
pub(crate) fn hostile() -> (Sample, Trace) {
    let rows: Vec<&[&str]> = HOSTILE.chunks(3).collect();
    let mut sample = sample(
        QuestionKind::ShortAnswer,
        &HOSTILE.join(" "),
        HOSTILE[0],
        table(&[HOSTILE[0], HOSTILE[8], HOSTILE[9]], &rows),
    );
    sample.table.rows[0][1] = None;
    let words = HOSTILE.join("\n");
    let mut first = step(
        &words,
        &words,
        0,
        1,
        Lineage {
            exactness: Exactness::AtLeast { reason: words.clone() },
            ..kept(&[0, 2], &[0, 2], &[(0, 0), (2, 2), (3, 0)], &[0, 2])
        },
    );
    first.failed_attempts.push(FailedAttempt {
        program: words.clone(),
        error: words.clone(),
    });
    let second = step("", &words, 1, 2, kept(&[1], &[1], &[(1, 1)], &[2]));
    let third = failed_step("", &words, 2, &words);
    let pick = |chosen: &[usize]| {
        let rows = chosen.iter().map(|row| sample.table.rows[*row].clone()).collect();
        Table::new(sample.table.columns.clone(), rows).unwrap()
    };
    let mut trace = trace(
        &sample,
        vec![pick(&[0, 2]), pick(&[2])],
        vec![first, second, third],
        Answer::Values(HOSTILE.iter().map(|text| (*text).to_owned()).collect()),
        AnswerSource::Fallback,
    );
    trace.rationale = Some(words.clone());
    trace.fallback_reason = Some(AnswerFailure::Program { message: words });
    (sample, trace)
}

/// A table of `rows` rows of which a filter keeps three.
pub(crate) fn long(rows: usize) -> (Sample, Trace) {
    let text: Vec<[String; 3]> = (1..=rows)
        .map(|row| [format!("S{row:03}"), format!("{}", row * 7 % 101), "open".to_owned()])
        .collect();
    let sample = sample(
        QuestionKind::ShortAnswer,
        "which stations have a level of 100?",
        "Gauges of the river Ost",
        Table::from_text(["Station", "Level", "State"], text.iter().map(|row| row.to_vec())).unwrap(),
    );
    let found: Vec<usize> = (0..rows).filter(|row| (row + 1) * 7 % 101 == 100).collect();
    let cells: Vec<(usize, usize)> = found.iter().map(|row| (*row, 1)).collect();
    let names: Vec<String> = found.iter().map(|row| text[*row][0].clone()).collect();
    let trace = trace(
        &sample,
        vec![Table::from_text(["Station"], names.iter().map(|name| vec![name.clone()])).unwrap()],
        vec![step(
            "Select the stations with a level of 100.",
            "SELECT station FROM table_sql WHERE level = 100",
            0,
            1,
            kept(&found, &[0, 1], &cells, &found),
        )],
        Answer::Values(names),
        AnswerSource::Program,
    );
    (sample, trace)
}
