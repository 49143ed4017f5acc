//! People among the judges of a log that was recorded elsewhere.

use serde_json::{Value, json};

use super::judgments::{Log, VERIFICATION};
use super::read;

#[test]
fn people_of_a_log_stand_beside_its_models() {
    let mut rows = "id,method,who,said,right\n".to_owned();
    for sample in 0..40 {
        for who in ["teal", "Ada"] {
            if who == "teal" || sample < 20 {
                let right = sample % 3 > 0;
                let said = if right ^ (sample % 7 == 0) { "Yes" } else { "No" };
                rows += &format!("s{sample},chain,{who},{said},{}\n", u8::from(right));
            }
        }
    }
    let mapping = VERIFICATION
        .replace("judge = { value = \"teal\" }", "judge = { field = \"who\" }")
        .replace("control_arms = [\"bare\"]\n", "");
    let people = |name: &str| format!("people = [\"{name}\"]{mapping}");
    let log = Log::new("log.csv", &rows, &people("Ada"));
    let (_, analysis) = log.import("log.csv");
    assert_eq!(
        analysis["people"][0]["people"],
        json!(["Ada"]),
        "{}",
        analysis["people"]
    );
    assert_eq!(analysis["people"][0]["agreement"][0]["agreement"]["n"], json!(20));
    assert_eq!(
        analysis["people"][0]["agreement"][0]["agreement"]["successes"],
        json!(20)
    );
    let log = Log::new("log.csv", &rows, &people("Eve"));
    let message = log.refuse("log.csv");
    assert!(
        message.contains("`people` names the judge \"Eve\"") && message.contains("Ada"),
        "{message}"
    );
    // What people are called together is no judge's name beside them; without people it is a name as any.
    let taken = rows.replace("teal", "people");
    let log = Log::new("log.csv", &taken, &people("Ada"));
    let message = log.refuse("log.csv");
    assert!(
        message.contains("a judge of the log is called \"people\"") && message.contains("leave `people` out"),
        "{message}"
    );
    assert!(!log.path("run").exists());
    let (_, analysis) = Log::new("log.csv", &taken, &mapping).import("log.csv");
    assert_eq!(analysis["study"]["judges"][0]["name"], json!("people"));
    assert!(analysis["people"].is_null(), "{}", analysis["people"]);
}

/// Rows of who said what of the arm `chain` on a sample.
fn row(sample: usize, who: &str, said: &str, right: bool) -> String {
    format!("s{sample},chain,{who},{said},{}\n", u8::from(right))
}

#[test]
fn several_people_judge_a_sample_and_some_are_tied() {
    let yes = |says: bool| if says { "Yes" } else { "No" };
    let mut rows = "id,method,who,said,right\n".to_owned();
    for sample in 0..24 {
        let right = sample % 4 > 0;
        rows += &row(sample, "teal", yes(true), right);
        // Three people on the first eight, two to one for what is so; two of two minds on the next eight; one on four more,
        // and of the last four nobody but the judge.
        match sample {
            0..8 => {
                rows += &row(sample, "Ada", yes(right), right);
                rows += &row(sample, "Bo", yes(right), right);
                rows += &row(sample, "Cy", yes(!right), right);
            }
            8..16 => {
                rows += &row(sample, "Ada", yes(true), right);
                rows += &row(sample, "Cy", yes(false), right);
            }
            16..20 => rows += &row(sample, "Bo", if sample == 19 { "hm" } else { "Yes" }, right),
            _ => {}
        }
    }
    let mapping = VERIFICATION
        .replace("judge = { value = \"teal\" }", "judge = { field = \"who\" }")
        .replace("control_arms = [\"bare\"]\n", "");
    let mapping = format!("people = [\"Ada\", \"Bo\", \"Cy\"]{mapping}");
    let log = Log::new("log.csv", &rows, &mapping);
    let (_, analysis) = log.import("log.csv");
    let found = &analysis["people"][0];
    // What Bo said of sample 19 could not be read, so that nobody judged it.
    assert_eq!(
        (&found["trials"], &found["samples"], &found["tied"]),
        (&json!(19), &json!(19), &json!(8))
    );
    // Of 8 + 3 majorities the judge, who always says yes, shares those on right answers of the first eight, and all three.
    let pair = &found["agreement"][0]["agreement"];
    assert_eq!((&pair["successes"], &pair["n"]), (&json!(6 + 3), &json!(11)));
    let estimates = found["estimates"].as_array().unwrap();
    let accuracy: Vec<&Value> = estimates
        .iter()
        .filter(|found| found["quantity"] == "accuracy")
        .collect();
    let [accuracy] = accuracy.as_slice() else {
        panic!("one judge and arm: {estimates:?}");
    };
    // Two thirds on eight samples, one half on eight, and 16 is wrong where 17 and 18 are right.
    let value = accuracy["people_only"]["value"]["Ok"].as_f64().unwrap();
    assert!((value - (8.0 * 2.0 / 3.0 + 4.0 + 2.0) / 19.0).abs() < 1e-12, "{value}");
    assert_eq!(
        (&accuracy["shared_samples"], &accuracy["further_samples"]),
        (&json!(19), &json!(5))
    );
    let sentence = analysis["conclusions"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .as_str()
        .unwrap();
    assert!(sentence.contains("19 trials judged by 3 people"), "{sentence}");
    let page = read(log.path("run").join("report.html"));
    assert!(page.contains("tied on 8 trials"));
    // The order of the rows makes no difference.
    let mut turned: Vec<&str> = rows.lines().skip(1).collect();
    turned.reverse();
    let turned = format!("id,method,who,said,right\n{}\n", turned.join("\n"));
    let (_, again) = Log::new("log.csv", &turned, &mapping).import("log.csv");
    assert_eq!(again["people"][0]["estimates"], found["estimates"]);
    assert_eq!(again["people"][0]["agreement"], found["agreement"]);
}
