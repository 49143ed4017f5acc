//! Pages into which each kind of leak is planted, pages made without concealing, and the readers against the writers.

mod planted_forms;
mod withheld_pages;

use proptest::prelude::*;

use std::rc::Rc;

use super::*;
use crate::dataset::{Answer, DatasetKind, Gold, QuestionKind, Sample};
use crate::explain::PagesOfSample;
use crate::explain::markdown::escaped;
use crate::explain::own_texts::OwnTexts;
use crate::explain::visible_text::{visible, visible_line};
use crate::table::Table;
use crate::trace::lineage::{Exactness, Reading, RowRole};
use crate::trace::{AnswerSource, Counters, Language, Lineage, Program, Step, Trace};

use AnswerVisibility::Withheld;

fn table(header: &[&str], rows: &[&[&str]]) -> Table {
    Table::from_text(
        header.iter().copied(),
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()),
    )
    .unwrap()
}

fn sample(kind: QuestionKind, question: &str) -> Sample {
    Sample {
        id: "deal-q-7".to_owned(),
        dataset: DatasetKind::Custom,
        kind,
        table_id: "csv/deals-12.csv".to_owned(),
        caption: Some("Deals".to_owned()),
        table: table(
            &["Rep", "Region", "Units"],
            &[
                &["Ann", "North", "14"],
                &["Cid", "South", "16"],
                &["Dee", "South", "9"],
                &["Eva", "East", "30"],
                &["Eva", "East", "40"],
                &["Fay", "East", "50"],
            ],
        ),
        question: question.to_owned(),
        gold: None,
        groups: Default::default(),
    }
}

fn how_many() -> Sample {
    sample(QuestionKind::ShortAnswer, "How many deals were made in the East?")
}

fn who() -> Sample {
    sample(QuestionKind::ShortAnswer, "Who sold more in all, Dee or Eva?")
}

fn statement() -> Sample {
    sample(QuestionKind::FactVerification, "Eva made two deals.")
}

fn lineage(
    role: RowRole,
    rows: &[usize],
    origins: &[Vec<usize>],
    carried: Vec<Option<usize>>,
    produced: &[usize],
) -> Lineage {
    Lineage {
        exactness: Exactness::Exact,
        reading: Reading::Rows,
        row_role: role,
        rows: rows.to_vec(),
        witness_rows: Vec::new(),
        witness_cells: Vec::new(),
        deciding_rows: Vec::new(),
        columns: vec![0],
        compared_columns: Vec::new(),
        condition_cells: Vec::new(),
        order_columns: Vec::new(),
        examined_rows: Vec::new(),
        sources: origins.iter().cloned().collect(),
        origins: origins.iter().cloned().collect(),
        produced_columns: produced.to_vec(),
        carried_columns: carried,
    }
}

fn step(words: &str, program: &str, input: usize, lineage: Lineage) -> Step {
    Step {
        description: (!words.is_empty()).then(|| words.to_owned()),
        program: Some(Program {
            ran: None,
            language: Language::Sql,
            text: program.to_owned(),
        }),
        input,
        output: Some(input + 1),
        lineage: Some(lineage),
        failed_attempts: Vec::new(),
        calls: Vec::new(),
    }
}

/// The East's rows are kept and counted: three.
fn trace(sample: &Sample, answer: Answer) -> Trace {
    let east = table(
        &["Rep", "Region", "Units"],
        &[&["Eva", "East", "30"], &["Eva", "East", "40"], &["Fay", "East", "50"]],
    );
    let kept = lineage(
        RowRole::Kept,
        &[3, 4, 5],
        &[vec![3], vec![4], vec![5]],
        vec![Some(0), Some(1), Some(2)],
        &[],
    );
    let counted = lineage(RowRole::Member, &[0, 1, 2], &[vec![3, 4, 5]], vec![None], &[0]);
    Trace {
        sample: sample.id.clone(),
        answerer: "fir-answerer-2".to_owned(),
        method: "pos".to_owned(),
        model: "gpt-4o".to_owned(),
        settings: serde_json::Value::Null,
        tables: vec![sample.table.clone(), east, table(&["n"], &[&["3"]])],
        steps: vec![
            step(
                "Keep the rows of the East.",
                "SELECT * FROM table_sql WHERE region = 'East'",
                0,
                kept,
            ),
            step("Count them.", "SELECT COUNT(*) AS n FROM table_sql", 1, counted),
        ],
        rationale: Some("The rows of the East are the last ones.".to_owned()),
        answer: Some(answer),
        answer_source: Some(AnswerSource::Program),
        failure: None,
        fallback_reason: None,
        imported: None,
        calls: Vec::new(),
        counters: Counters::default(),
    }
}

fn values(values: &[&str]) -> Answer {
    Answer::Values(values.iter().map(|value| (*value).to_owned()).collect())
}

fn names() -> Vec<String> {
    ["Plan-of-SQLs", "replies-4.jsonl", "spruce"]
        .map(str::to_owned)
        .to_vec()
}

/// The leaks of a page of its own text, by what and where.
fn leaks_of(sample: &Sample, trace: &Trace, markdown: &str, html: &str) -> Vec<(LeakKind, String)> {
    let names = names();
    let blind = Blind::new(&Rc::new(OwnTexts::new(sample)), sample, trace, &names, Withheld);
    let rules = Rules::new(&blind, Format::AttributionChain, Withheld);
    let mut leaks = in_parts(&rules, "Markdown", markdown_parts::parts(markdown));
    leaks.extend(in_parts(&rules, "HTML", html_parts::parts(html)));
    leaks.into_iter().map(|leak| (leak.what, leak.place)).collect()
}

/// What is found of a block planted before the end of a page in Markdown, and whether on the lines of the block.
fn planted(sample: &Sample, trace: &Trace, format: Format, block: &str) -> (Vec<LeakKind>, bool) {
    let page = PagesOfSample::new(sample, &names()).render(trace, format, Withheld);
    assert_eq!(page.facts.leaks, [], "{}", page.markdown);
    let (before, after) = page.markdown.rsplit_once("\nAnswer: withheld").unwrap();
    let first = before.matches('\n').count() + 2;
    let markdown = format!("{before}\n{block}\n\nAnswer: withheld{after}");
    let found = leaks_of(sample, trace, &markdown, "");
    let lines = first..=first + block.matches('\n').count();
    let is_there = found.iter().all(|(_, place)| {
        place
            .strip_prefix("Markdown line ")
            .and_then(|line| line.parse().ok())
            .is_some_and(|line| lines.contains(&line))
    });
    (found.into_iter().map(|(what, _)| what).collect(), is_there)
}

/// The same in HTML.
fn planted_in_html(sample: &Sample, trace: &Trace, element: &str) -> (Vec<LeakKind>, bool) {
    let page = PagesOfSample::new(sample, &names()).render(trace, Format::AttributionChain, Withheld);
    let (before, after) = page.html.rsplit_once("<section class=\"box answer\"").unwrap();
    let line = before.matches('\n').count() + 1;
    let html = format!("{before}{element}<section class=\"box answer\"{after}");
    let found = leaks_of(sample, trace, "", &html);
    let is_there = found.iter().all(|(_, place)| *place == format!("HTML line {line}"));
    (found.into_iter().map(|(what, _)| what).collect(), is_there)
}

fn assert_answer(found: (Vec<LeakKind>, bool), planted: &str) {
    let (kinds, is_there) = found;
    assert!(
        !kinds.is_empty() && kinds.iter().all(|kind| *kind == LeakKind::Answer),
        "{planted}: {kinds:?}"
    );
    assert!(is_there, "{planted}: at another place");
}

#[test]
fn a_small_number_that_is_stated_is_found() {
    let sample = how_many();
    let trace = trace(&sample, values(&["3"]));
    for block in [
        "### Step 3: Count them: the answer is 3.",
        "### Step 3: Count them, there are 3 of them.",
        "### Step 3: So we get three.",
        "### Step 3: 2 + 1 = 3.",
        "### Step 3: 3 rows remain.",
        "### Step 3: The number of deals in the East is 3.",
        "```sql\nSELECT COUNT(*) FROM table_sql -- 3 rows, so 3\n```",
        "```sql\nSELECT COUNT(*) FROM table_sql /* three */\n```",
        "```python\nlen(rows) # 3\n```",
        "```sql\nSELECT 3 AS n\n```",
        "```sql\nSELECT CASE WHEN 1 THEN 3 END AS n FROM table_sql\n```",
        "> It is 3, I think",
        "> They made three deals.",
        "Table after step 1 (3 rows):",
        "The table goes from 6 rows and 3 columns to 3 rows and 3 columns.",
        "No row matches: all 3 rows were examined, and none meets the condition.",
        "Table after step 2:\n|row|n+|\n|-|-|\n|1|3|",
        "Table after step 2:\n|row|s+|\n|-|-|\n|1|the answer is 3|\n|2|or not|",
        "Table after step 2:\n|row|answer\\_is\\_3+|\n|-|-|\n|1|x|",
        "Facts:\n1. Count them: 3 of 6 rows.",
        "Facts:\n1. Count them: “n” is “3”; the total is 3.",
        "This step failed. Error: the result is 3",
    ] {
        assert_answer(planted(&sample, &trace, Format::AttributionChain, block), block);
    }
    for element in [
        "<p>The answer is 3.</p>",
        "<p><bdi>The <em>answer</em> is <b>3</b>.</bdi></p>",
        "<div class=\"scroll\" aria-label=\"Result: 3\"></div>",
        "<span title=\"so 3\">x</span>",
        "<h2 id=\"step-3\">Step 3 <bdi class=\"words\">therefore 3</bdi></h2>",
        "<pre><code>SELECT 1 <span class=\"sql-comment\">-- 3</span></code></pre>",
        "<pre><code>SELECT &#51;</code></pre>",
        "<p class=\"said\"><bdi>It is 3</bdi></p>",
        "<ol class=\"facts\"><li><bdi>There are 3</bdi></li></ol>",
        "<table><caption>Table after step 1 (3 rows)</caption></table>",
        "<table><caption>Table after step 2</caption><thead><tr><th>Row</th><th>n</th></tr></thead>\
         <tbody><tr><th>1</th><td>3</td></tr></tbody></table>",
        "<table><tbody><tr><th>1 <small title=\"x\">(3 rows)</small></th><td>y</td></tr></tbody></table>",
    ] {
        assert_answer(planted_in_html(&sample, &trace, element), element);
    }
}

#[test]
fn what_the_question_offers_is_found_where_it_is_stated_or_chosen() {
    let sample = who();
    let trace = trace(&sample, values(&["Dee"]));
    for block in [
        "### Step 3: Eva has less, so the answer is Dee: keep her.",
        "### Step 3: The winner is Dee.",
        "### Step 3: Dee is the answer.",
        "### Step 3: Keep the row of Dee.",
        "### Step 3: Keep it.\n\n```sql\nSELECT rep FROM table_sql WHERE rep = 'Dee'\n```",
        "```sql\nSELECT rep FROM table_sql -- the winner is Dee\n```",
        "```sql\nSELECT 'Dee' AS rep\n```",
        "Table after step 2:\n|row|Rep|\n|-|-|\n|1|Dee|",
    ] {
        assert_answer(planted(&sample, &trace, Format::AttributionChain, block), block);
    }
    let others = values(&["Eva"]);
    for block in [
        "### Step 3: Compare the total of Dee with that of Eva to find the winner.",
        "### Step 3: Is the total of Dee above that of Eva, so that she sold more?",
        "```sql\nSELECT CASE WHEN a > b THEN 'Dee' ELSE 'Eva' END FROM table_sql\n```",
        "### Step 3: Keep the rows with the result 3.",
        "Table after step 2:\n|row|Rep|s+|\n|-|-|-|\n|1|Dee|9|\n|2|Eva|70|",
    ] {
        for answer in [&values(&["Dee"]), &others] {
            let trace = self::trace(&sample, answer.clone());
            let (kinds, _) = planted(&sample, &trace, Format::AttributionChain, block);
            assert_eq!(kinds, [], "{block}");
        }
    }
}

#[test]
fn a_verdict_is_found_in_any_form() {
    let sample = statement();
    for verdict in [true, false] {
        let mut trace = trace(&sample, Answer::Verdict(verdict));
        trace.tables.push(table(&["n", "is_supported"], &[&["2", "1"]]));
        trace.steps.push(step(
            "Compare.",
            "SELECT COUNT(*) AS n, COUNT(*) = 2 AS is_supported FROM table_sql",
            2,
            lineage(RowRole::Member, &[0], &[vec![3]], vec![None, None], &[0, 1]),
        ));
        for block in [
            "### Step 4: 2 = 2, so the statement is true.",
            "### Step 4: Result: TRUE",
            "### Step 4: The answer is yes.",
            "```sql\nSELECT n FROM table_sql -- 2 = 2, so it is true\n```",
            "```sql\nSELECT 'TRUE' AS v\n```",
            "```sql\nSELECT 1 AS v FROM table_sql\n```",
            "> Hence the claim is refuted.",
            "> Yes.",
            "Table after step 3:\n|row|n+|is\\_supported+|\n|-|-|-|\n|1|2|1|",
            "Table after step 3:\n|row|v+|w+|\n|-|-|-|\n|1|x|yes|",
            "Table after step 9:\n|row|v+|\n|-|-|\n|1|F|",
            "Facts:\n1. x\n2. x\n3. Compare: “n” is “2”, “is\\_supported” is “1”.",
        ] {
            assert_answer(planted(&sample, &trace, Format::AttributionChain, block), block);
        }
        for block in [
            "### Step 4: Return TRUE if there are two deals, else FALSE.",
            "### Step 4: Keep rows where paid is true.",
            "```sql\nSELECT CASE WHEN n = 2 THEN 'TRUE' ELSE 'FALSE' END AS v FROM table_sql\n```",
            "```sql\nSELECT CASE WHEN n = 2 THEN 1 ELSE 0 END AS v FROM table_sql\n```",
            // A count may be 1.
            "Table after step 2:\n|row|n+|\n|-|-|\n|1|1|",
            "Table after step 1 (2 rows):",
        ] {
            let (kinds, _) = planted(&sample, &trace, Format::AttributionChain, block);
            assert_eq!(kinds, [], "{block}");
        }
    }
}

#[test]
fn names_are_found_wherever_they_stand() {
    let sample = how_many();
    let trace = trace(&sample, values(&["3"]));
    for name in [
        "gpt-4o",
        "GPT",
        "Plan-of-SQLs",
        "deals-12.csv",
        "replies-4.jsonl",
        "deal-q-7",
        "fir-answerer-2",
        "method pos",
        "the spruce arm",
        "I am Claude",
    ] {
        for block in [
            format!("### Step 3: Keep it ({name})."),
            format!("```sql\nSELECT n FROM table_sql -- {name}\n```"),
            format!("```sql\nSELECT n AS \"{name}\" FROM table_sql\n```"),
            format!("> {name}, here"),
            format!("Table after step 2:\n|row|x|\n|-|-|\n|1|by {name}|\n|2|y|"),
            format!("This step failed. Error: {name}"),
            format!("Facts:\n1. Keep: {name}."),
        ] {
            let (kinds, is_there) = planted(&sample, &trace, Format::AttributionChain, &block);
            assert!(kinds == [LeakKind::Name] && is_there, "{block}: {kinds:?}");
        }
        let element = format!("<p aria-label=\"{name}\">x</p>");
        assert_eq!(
            planted_in_html(&sample, &trace, &element),
            (vec![LeakKind::Name], true),
            "{element}"
        );
    }
}

#[test]
fn a_line_that_only_looks_like_ours_is_read() {
    let sample = who();
    let trace = trace(&sample, values(&["Mabel Orr"]));
    for block in [
        "Statement: it was Mabel Orr",
        "Marks: `*` = Mabel Orr.",
        "Table: Mabel Orr",
        "Column names in programs: x is “Mabel Orr”.",
        "The part of the table that matters: Mabel Orr",
        "The same as: Mabel Orr.",
        "Result. The same as: Table after step 1. Here: used columns “Mabel Orr”.",
        "The table (6 rows):\n|row|Rep|Region|Units|\n|-|-|-|-|\n|1|Mabel Orr|North|14|",
        "It comes from Mabel Orr.",
    ] {
        assert_answer(planted(&sample, &trace, Format::AttributionChain, block), block);
    }
}

#[test]
fn a_page_made_without_concealing_leaks() {
    type Change = fn(&mut Trace);
    let changes: [(Change, &[Format]); 9] = [
        (
            |trace| trace.steps[0].description = Some("The answer is 3.".to_owned()),
            &[Format::AttributionChain, Format::StepThrough, Format::Facts],
        ),
        (
            |trace| trace.steps[1].program.as_mut().unwrap().text = "SELECT 3 AS n".to_owned(),
            &[Format::ProgramListing],
        ),
        (
            |trace| trace.tables[1] = table(&["n"], &[&["3"]]),
            &[Format::ProgramListing, Format::FunctionChain, Format::AttributionChain],
        ),
        (
            |trace| trace.rationale = Some("Three of them.".to_owned()),
            &[Format::FreeText],
        ),
        (
            |trace| trace.rationale = Some("As GPT-4 I say so.".to_owned()),
            &[Format::FreeText],
        ),
        (
            |trace| trace.steps[0].program.as_mut().unwrap().text = "SELECT 'gpt-4o' AS x".to_owned(),
            &[Format::ProgramListing, Format::FunctionChain],
        ),
        (
            |trace| trace.tables[1].rows[0][0] = Some("made by gpt-4o".to_owned()),
            &[Format::AttributionChain, Format::ProgramListing],
        ),
        (
            |trace| trace.steps[0].description = Some("Keep it, by plan of SQLs".to_owned()),
            &[Format::AttributionChain, Format::Facts],
        ),
        (
            |trace| {
                trace.steps[1].output = None;
                trace.steps[1].failed_attempts = vec![crate::trace::FailedAttempt {
                    program: "SELECT 1".to_owned(),
                    error: "so the result is 3".to_owned(),
                }];
            },
            &[Format::AttributionChain, Format::ProgramListing],
        ),
    ];
    let sample = how_many();
    for (index, (change, formats)) in changes.into_iter().enumerate() {
        let mut trace = trace(&sample, values(&["3"]));
        change(&mut trace);
        let names = names();
        let blind = Blind::new(&Rc::new(OwnTexts::new(&sample)), &sample, &trace, &names, Withheld);
        for format in formats {
            let open = Written::new(&blind, *format, Withheld, false);
            let leaks = of_page(&open, *format, Withheld, &blind);
            for medium in ["Markdown", "HTML"] {
                assert!(
                    leaks.iter().any(|leak| leak.place.starts_with(medium)),
                    "{index} {format:?} {leaks:?}"
                );
            }
            let page = PagesOfSample::new(&sample, &names).render(&trace, *format, Withheld);
            assert_eq!(page.facts.leaks, [], "{index} {format:?}\n{}", page.markdown);
            assert!(page.facts.places_withheld > 0, "{index} {format:?}");
        }
    }
}

/// What a page says depends on its answer by the steps alone.
#[test]
fn pages_of_the_same_steps_under_other_answers_are_the_same() {
    let pairs = [
        (how_many(), values(&["3"]), values(&["5"])),
        (how_many(), values(&["3"]), values(&["12"])),
        (who(), values(&["Ann"]), values(&["Cid"])),
        (who(), values(&["Dee"]), values(&["Eva"])),
        (statement(), Answer::Verdict(true), Answer::Verdict(false)),
        (
            sample(QuestionKind::FreeForm, "What is it?"),
            Answer::Text("It is one thing.".to_owned()),
            Answer::Text("That was another.".to_owned()),
        ),
    ];
    for (sample, one, other) in pairs {
        for format in Format::ALL {
            let page = |answer: &Answer| {
                let trace = trace(&sample, answer.clone());
                let page = PagesOfSample::new(&sample, &names()).render(&trace, format, Withheld);
                assert_eq!(page.facts.leaks, []);
                (page.markdown, page.html)
            };
            assert_eq!(page(&one), page(&other), "{format:?}");
        }
    }
}

/// Nor does it depend on the gold answer and on what samples, files, methods and models are called.
#[test]
fn pages_are_the_same_whatever_the_gold_answer_and_the_names() {
    for sample in [how_many(), who(), statement()] {
        let mut other_sample = sample.clone();
        "q-2".clone_into(&mut other_sample.id);
        "other/table.csv".clone_into(&mut other_sample.table_id);
        other_sample.gold = Some(match sample.kind {
            QuestionKind::FactVerification => Gold::Verdict(false),
            _ => Gold::Text("another answer".to_owned()),
        });
        other_sample.groups.insert("level".to_owned(), "hard".to_owned());
        let trace = trace(&sample, values(&["3"]));
        let mut other = trace.clone();
        for name in [
            &mut other.sample,
            &mut other.answerer,
            &mut other.method,
            &mut other.model,
        ] {
            "other-name".clone_into(name);
        }
        for format in Format::ALL {
            for visibility in [AnswerVisibility::Shown, Withheld] {
                let one = crate::explain::render(&sample, &trace, format, visibility);
                let page = crate::explain::render(&other_sample, &other, format, visibility);
                assert_eq!(page, one, "{format:?}");
            }
        }
    }
}

/// Text from anywhere, rich in what could end its place.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "|",
        "\\",
        "\n",
        "`",
        "```",
        "*",
        "_",
        "[[",
        "]]",
        "<br>",
        "&lt;",
        "&amp;",
        "<b>",
        "</td>",
        "&",
        "#",
        ">",
        "-",
        "+",
        "*order",
        "~~",
        " ",
        "a",
        "Ana",
        "12",
        "…",
        "### Step 1: ",
        "\n\nAnswer: 3",
        "“",
        "”",
        "\u{202e}",
        "é",
        "_NULL_",
        "Facts:\n1. ",
        "\r",
        "\u{2028}",
    ]);
    prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// No text leaves its place in Markdown, and it is read as it was.
    #[test]
    fn markdown_is_read_as_it_was_written(texts in prop::collection::vec(hostile(), 12)) {
        let shown = |text: &str| visible(text).trim().replace('\t', " ");
        prop_assert_eq!(markdown_parts::unescaped(&escaped(&visible(&texts[0]))), shown(&texts[0]));
        let mut sample = how_many();
        sample.question = format!("q {}", texts[0]);
        sample.caption = Some(format!("c {}", texts[1]));
        sample.table = Table::from_text(
            [format!("h {}", texts[2]), format!("i {}", texts[3])],
            [vec![texts[4].clone(), texts[5].clone()], vec![texts[6].clone(), texts[7].clone()]],
        ).unwrap();
        let mut trace = trace(&sample, values(&["nothing of this"]));
        trace.tables[1] = sample.table.clone();
        trace.tables[1].rows[0][1] = None;
        trace.steps[0].description = Some(format!("w {}", texts[8]));
        trace.steps[0].lineage.as_mut().unwrap().rows = vec![0];
        trace.steps[0].lineage.as_mut().unwrap().columns = vec![1];
        trace.steps[0].program.as_mut().unwrap().text = format!("SELECT {}", texts[9].replace(['\r', '\u{2028}'], " "));
        trace.rationale = Some(format!("r {}", texts[10]));
        let heads = [visible_line(&sample.question), visible_line(sample.caption.as_deref().unwrap())];
        let blind = Blind::new(&Rc::new(OwnTexts::new(&sample)), &sample, &trace, &[], Withheld);
        for (format, medium) in Format::ALL.into_iter().flat_map(|format| [(format, "Markdown"), (format, "HTML")]) {
            let page = Written::new(&blind, format, Withheld, false);
            let parts: Vec<Part> = match medium {
                "Markdown" => markdown_parts::parts(&page.markdown),
                _ => html_parts::parts(&page.html),
            }.into_iter().map(|placed| placed.part).collect();
            let has = |part: &Part| parts.contains(part);
            for head in &heads {
                let label = if medium == "HTML" && *head == heads[1] { "Table: " } else { "" };
                prop_assert!(has(&Part::Head(format!("{label}{head}"))), "{format:?} {medium} {head}");
            }
            let tables: Vec<&parts::TablePart> = parts.iter().filter_map(|part| match part { Part::Table(table) => Some(table), _ => None }).collect();
            let first = tables.first().unwrap();
            let header: Vec<String> = sample.table.columns.iter().map(|column| visible_line(&column.display)).collect();
            let rows = |table: &Table| -> Vec<Vec<Option<String>>> {
                table.rows.iter().map(|row| row.iter().map(|cell| cell.as_deref().map(shown)).collect()).collect()
            };
            let trimmed = |table: &parts::TablePart| -> Vec<Vec<Option<String>>> {
                table.rows.iter().map(|row| row.iter().map(|cell| cell.as_deref().map(shown)).collect()).collect()
            };
            prop_assert_eq!(&first.header, &header, "{:?} {}", format, medium);
            prop_assert_eq!(trimmed(first), rows(&sample.table), "{:?} {}", format, medium);
            if matches!(format, Format::AttributionChain | Format::StepThrough) {
                prop_assert_eq!(&tables[1].header, &header);
                prop_assert_eq!(trimmed(tables[1]), rows(&trace.tables[1]));
                let words = visible(trace.steps[0].description.as_deref().unwrap().trim());
                prop_assert!(has(&Part::Step { number: 1, words: words.clone() }), "{medium} {words:?} {parts:#?}");
            }
            // Nothing was forged: as many parts of each kind as the format has.
            let count = |is: fn(&Part) -> bool| parts.iter().filter(|part| is(part)).count();
            let steps = count(|part| matches!(part, Part::Step { .. }));
            prop_assert_eq!(steps, if matches!(format, Format::Facts | Format::FreeText | Format::Imported | Format::None) { 0 } else { 2 });
            prop_assert_eq!(count(|part| matches!(part, Part::Fact { .. })), if format == Format::Facts { 2 } else { 0 });
            prop_assert_eq!(count(|part| matches!(part, Part::Said(_))), usize::from(format == Format::FreeText));
        }
    }

    /// An answer that is stated is found, whatever it is, however it is put, wherever it stands.
    #[test]
    fn a_stated_answer_is_found(
        answer in prop_oneof![
            (0u32..100_000).prop_map(|number| number.to_string()),
            "[A-Z][a-z]{3,8}( [A-Z][a-z]{3,8})?",
            (1u32..28, 0usize..12, 1900u32..2020).prop_map(|(day, month, year)| format!("{day} {} {year}", [
                "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
            ][month])),
        ],
        form in prop::sample::select(vec![
            "the answer is {}", "so {}", "Therefore, {}.", "result: {}", "The winner is {}.", "hence the answer must be {}", "we get = {}",
            "{} is the answer", "the total is {}", "**Answer:** {}", "it gives {}", "the final answer is exactly {}.", "→ {}.",
        ]),
        place in prop::sample::select(vec![
            "### Step 3: {}", "> {}", "This step failed. Error: {}", "```sql\nSELECT n FROM table_sql -- {}\n```", "Facts:\n1. {}",
            "Table after step 2:\n|row|x|\n|-|-|\n|1|{}|\n|2|other|", "A line of ours: {}",
        ]),
        case in 0usize..3,
    ) {
        let sample = how_many();
        let trace = trace(&sample, values(&[&answer]));
        let answer = match case { 0 => answer.to_uppercase(), 1 => answer.to_lowercase(), _ => answer };
        let text = form.replace("{}", &answer);
        let block = place.replace("{}", &text);
        let found = leaks_of(&sample, &trace, &format!("Question: x\nTable: y\n\n{block}\n"), "");
        prop_assert!(found.iter().any(|(what, _)| *what == LeakKind::Answer), "{block}");
        let element = format!("<p title=\"{text}\">x</p>");
        prop_assert!(!leaks_of(&sample, &trace, "", &element).is_empty(), "{element}");
    }
}
