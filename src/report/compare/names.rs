//! What papers call methods, data sets and models.

use crate::dataset::DatasetKind;

/// The name that published numbers have for a method, by its name in the registry or in an import.
pub(super) fn method(name: &str) -> Option<&'static str> {
    let plain: String = name
        .trim_end_matches(" (imported)")
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    Some(match plain.as_str() {
        "endtoend" | "e2e" => "End-to-End",
        "fewshot" => "Few-shot",
        "chainofthought" => "Chain-of-Thought",
        "chainoftable" | "cotable" => "Chain-of-Table",
        "texttosql" | "text2sql" => "Text-to-SQL",
        "selfexplanation" => "Self-explanation",
        "pos" | "planofsqls" => "POS",
        "potable" => "PoTable",
        "binder" => "Binder",
        "dater" => "DATER",
        "tabsqlify" => "TabSQLify",
        "lpa" => "LPA",
        _ => return None,
    })
}

/// Whether a published data set is of this kind.
pub(super) fn is_dataset(name: &str, kind: DatasetKind) -> bool {
    let first = name.split(' ').next().unwrap_or_default();
    match kind {
        DatasetKind::Tabfact => first == "TabFact",
        DatasetKind::Wikitq => first == "WikiTQ",
        DatasetKind::Fetaqa => first == "FeTaQA",
        DatasetKind::Custom => false,
    }
}

/// Whether an endpoint's identifier is the model that a paper names. A dated snapshot of a model is another one than its
/// name alone says, as far as anybody knows.
pub(super) fn same_model(identifier: &str, published: &str) -> bool {
    let plain = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or_default().to_lowercase();
        name.trim_start_matches("meta-").replace("gpt-3.5-turbo", "gpt-3.5")
    };
    !identifier.is_empty() && plain(identifier) == plain(published)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_meet_whatever_their_spelling() {
        assert_eq!(method("text_to_sql"), Some("Text-to-SQL"));
        assert_eq!(method("CoTable (imported)"), Some("Chain-of-Table"));
        assert_eq!(method("something of our own"), None);
        assert!(is_dataset("TabFact small test", DatasetKind::Tabfact) && !is_dataset("TabFact", DatasetKind::Wikitq));
        assert!(same_model(
            "meta-llama/Meta-Llama-3.1-70B-Instruct",
            "Llama-3.1-70B-Instruct"
        ));
        assert!(same_model("gpt-3.5-turbo-16k-0613", "GPT-3.5-16k-0613"));
        assert!(!same_model("gpt-4o", "GPT-4o-mini") && !same_model("", "GPT-4o"));
        assert!(!same_model("gpt-4o-mini-2024-07-18", "GPT-4o-mini"));
    }
}
