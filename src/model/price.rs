//! What calls cost. A model without a known price costs an unknown amount, never nothing.

use std::collections::BTreeMap;

use super::{Message, Price, Usage};

/// Public list prices in US dollars per million tokens (prompt, answer), as OpenAI's price page had them for standard
/// processing on 2025-06-01. Prices change: a study's `[prices]` come before these and extend them.
const LIST_PRICES: &[(&str, f64, f64)] = &[
    ("gpt-3.5-turbo", 0.50, 1.50),
    ("gpt-4", 30.0, 60.0),
    ("gpt-4-turbo", 10.0, 30.0),
    ("gpt-4.1", 2.00, 8.00),
    ("gpt-4.1-mini", 0.40, 1.60),
    ("gpt-4.1-nano", 0.10, 0.40),
    ("gpt-4o", 2.50, 10.0),
    ("gpt-4o-mini", 0.15, 0.60),
    ("o3-mini", 1.10, 4.40),
    ("o4-mini", 1.10, 4.40),
];

/// Prices by model identifier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    own: BTreeMap<String, Price>,
}

impl Prices {
    /// The study's own prices, before the built-in ones.
    pub fn new(own: BTreeMap<String, Price>) -> Self {
        Self { own }
    }

    /// The price of a model by the identifier sent to its endpoint.
    ///
    /// Of the study's own entries the longest one that the identifier begins with counts. A built-in entry counts for
    /// its own identifier and for dated versions of it (`gpt-4o-2024-08-06`, `gpt-4-0613`), not for other models that
    /// happen to begin alike (`gpt-4o-audio-preview`).
    pub fn of(&self, model: &str) -> Option<Price> {
        let own = self
            .own
            .iter()
            .filter(|(prefix, _)| model.starts_with(prefix.as_str()))
            .max_by_key(|(prefix, _)| prefix.len())
            .map(|(_, price)| *price);
        own.or_else(|| {
            LIST_PRICES
                .iter()
                .filter(|(name, _, _)| model.strip_prefix(name).is_some_and(is_version))
                .max_by_key(|(name, _, _)| name.len())
                .map(|(_, input_per_million, output_per_million)| Price {
                    input_per_million: *input_per_million,
                    output_per_million: *output_per_million,
                })
        })
    }
}

/// Whether what follows a name only says which version of it: nothing, `-latest`, or digits and dashes.
fn is_version(rest: &str) -> bool {
    rest.is_empty()
        || rest == "-latest"
        || (rest.starts_with('-')
            && rest.len() >= 5
            && rest
                .chars()
                .all(|character| character.is_ascii_digit() || character == '-'))
}

/// US dollars for these tokens.
pub fn cost(price: Price, usage: Usage) -> f64 {
    // Token counts are far below 2^53, where `f64` stops being exact.
    let million = 1_000_000.0;
    usage.input_tokens as f64 / million * price.input_per_million
        + usage.output_tokens as f64 / million * price.output_per_million
}

/// A low and a high guess of the tokens of a prompt, for a dry run that asks no tokenizer.
///
/// English prose has four to five bytes a token, tables full of numbers two to three; the guess spans six to two, and
/// the marks around each message.
pub fn prompt_tokens(messages: &[Message]) -> (u64, u64) {
    let bytes: u64 = messages.iter().map(|message| message.content.len() as u64).sum();
    let pictures: u64 = messages.iter().map(|message| message.pictures.len() as u64).sum();
    let messages = messages.len() as u64;
    (
        bytes / 6 + messages + FEWEST_OF_A_PICTURE * pictures,
        bytes.div_ceil(2) + 8 * messages + MOST_OF_A_PICTURE * pictures,
    )
}

/// Tokens that models take a picture for: from one small tile to a long page in many.
const FEWEST_OF_A_PICTURE: u64 = 85;
const MOST_OF_A_PICTURE: u64 = 6_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn price(input: f64, output: f64) -> Price {
        Price {
            input_per_million: input,
            output_per_million: output,
        }
    }

    #[test]
    fn dated_versions_have_the_price_of_their_model_and_others_none() {
        let prices = Prices::default();
        assert_eq!(prices.of("gpt-4o-2024-08-06"), Some(price(2.5, 10.0)));
        assert_eq!(prices.of("gpt-4o-mini-2024-07-18"), Some(price(0.15, 0.6)));
        assert_eq!(prices.of("gpt-4-0613"), Some(price(30.0, 60.0)));
        for unknown in [
            "gpt-4o-audio-preview",
            "gpt-4.5-preview",
            "gpt-40",
            "my/gpt-4o",
            "",
            "SmolLM2-135M",
        ] {
            assert_eq!(prices.of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn own_prices_come_first_and_the_longest_counts() {
        let own = [
            ("gpt-4o", price(1.0, 2.0)),
            ("local/", price(0.0, 0.0)),
            ("local/big", price(3.0, 4.0)),
        ];
        let prices = Prices::new(own.map(|(name, price)| (name.to_owned(), price)).into());
        assert_eq!(prices.of("gpt-4o-mini"), Some(price(1.0, 2.0)));
        assert_eq!(prices.of("local/big-2"), Some(price(3.0, 4.0)));
        assert_eq!(prices.of("local/small"), Some(price(0.0, 0.0)));
        assert_eq!(prices.of("gpt-4.1"), Some(price(2.0, 8.0)));
    }

    #[test]
    fn cost_is_tokens_times_price() {
        let usage = Usage {
            input_tokens: 2_000_000,
            output_tokens: 500_000,
        };
        assert_eq!(cost(price(2.5, 10.0), usage), 10.0);
    }

    #[test]
    fn guess_of_tokens_spans_what_tokenizers_make() {
        let (low, high) = prompt_tokens(&[Message::user("The cup was won by Porto in 2004, 3-0.")]);
        // 15 to 18 tokens, depending on the tokenizer, and the marks around the message.
        assert!(low <= 15 && high >= 22, "{low}..{high}");
        assert_eq!(prompt_tokens(&[]), (0, 0));
    }
}
