//! The names that an expression looks at, or that its value is made of, each with what must hold for it: the branch of a CASE
//! that is taken, the arguments of a COALESCE that are NULL.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, Query, Visit, Visitor};

use super::conditions::{Part, address, part};
use super::meaning::{arguments, as_operand};

/// Names that a condition looks at where some parts of it hold; nothing where it looks at them always.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) names: Vec<Expr>,
    pub(super) within: Vec<Part>,
}

/// The names at a condition's own level, each with the branches that must be taken, and the arguments of COALESCE that must be
/// NULL, for SQLite to look at it.
pub(super) fn looks(condition: &Expr) -> Vec<Look> {
    let mut looker = Looker::default();
    let ControlFlow::Continue(()) = condition.visit(&mut looker);
    looker.found
}

/// The names that the value of an expression is made of: no condition of a CASE or IIF, and of COALESCE the argument that is
/// given.
pub(super) fn made_of(argument: &Expr) -> Vec<Look> {
    let mut looker = Looker {
        is_of_value: true,
        ..Looker::default()
    };
    let ControlFlow::Continue(()) = argument.visit(&mut looker);
    looker.found
}

#[derive(Default)]
struct Looker {
    found: Vec<Look>,
    queries: usize,
    around: Vec<Part>,
    /// By the address of an expression: what must hold for it to be looked at.
    inside: BTreeMap<usize, Vec<Part>>,
    /// Whether conditions of branches are passed over.
    is_of_value: bool,
    /// The expressions that are passed over.
    passed: BTreeSet<usize>,
    passed_depth: usize,
}

impl Looker {
    fn name(&mut self, name: &Expr) {
        match self.found.iter_mut().find(|look| look.within == self.around) {
            Some(look) => look.names.push(name.clone()),
            None => self.found.push(Look {
                names: vec![name.clone()],
                within: self.around.clone(),
            }),
        }
    }

    fn choice<'a>(
        &mut self,
        operand: Option<&Expr>,
        branches: impl Iterator<Item = (&'a Expr, &'a Expr)>,
        otherwise: Option<&Expr>,
    ) {
        let mut before: Vec<Part> = Vec::new();
        if self.is_of_value {
            self.passed.extend(operand.map(address));
        }
        for (condition, result) in branches {
            if self.is_of_value {
                self.passed.insert(address(condition));
            }
            self.inside.insert(address(condition), before.clone());
            let condition = asked(operand, condition);
            let mut taken = before.clone();
            taken.push(part(&condition, "TRUE"));
            self.inside.insert(address(result), taken);
            before.push(part(&condition, "NOT TRUE"));
        }
        if let Some(otherwise) = otherwise {
            self.inside.insert(address(otherwise), before);
        }
    }
}

impl Visitor for Looker {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if self.queries > 0 {
            return ControlFlow::Continue(());
        }
        if self.passed_depth > 0 || self.passed.contains(&address(expression)) {
            self.passed_depth += 1;
            return ControlFlow::Continue(());
        }
        if let Some(parts) = self.inside.get(&address(expression)) {
            self.around.extend(parts.iter().cloned());
        }
        match expression {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.name(expression),
            // In an empty list nothing is, whatever is looked for.
            Expr::In { expr, target, .. } => match target {
                InTarget::Subquery(query) => {
                    let rows = Expr::Exists {
                        subquery: query.clone(),
                        negated: false,
                    };
                    self.inside.insert(address(expr), vec![part(&rows, "TRUE")]);
                }
                InTarget::List(values) if values.is_empty() => {
                    self.passed.insert(address(expr));
                }
                _ => {}
            },
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                let branches = conditions.iter().map(|when| (&when.condition, &when.result));
                self.choice(operand.as_deref(), branches, else_result.as_deref());
            }
            Expr::Function(function) => {
                let name = function.name.to_string().trim_matches('"').to_ascii_lowercase();
                match (name.as_str(), arguments(function).as_slice()) {
                    ("iif" | "if", arguments @ [_, _, ..]) => {
                        let (branches, otherwise) = pairs(arguments);
                        self.choice(None, branches, otherwise);
                    }
                    ("coalesce" | "ifnull", arguments) => {
                        let mut before: Vec<Part> = Vec::new();
                        for argument in arguments {
                            let mut here = before.clone();
                            if self.is_of_value {
                                here.push(part(&Expr::IsNotNull(Box::new(as_operand(argument))), "TRUE"));
                            }
                            self.inside.insert(address(argument), here);
                            before.push(part(&Expr::IsNull(Box::new(as_operand(argument))), "TRUE"));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if self.queries == 0 && self.passed_depth > 0 {
            self.passed_depth -= 1;
        } else if self.queries == 0
            && let Some(parts) = self.inside.remove(&address(expression))
        {
            self.around.truncate(self.around.len().saturating_sub(parts.len()));
        }
        ControlFlow::Continue(())
    }
}

/// What `CASE operand WHEN condition` asks.
pub(super) fn asked(operand: Option<&Expr>, condition: &Expr) -> Expr {
    let Some(operand) = operand else {
        return condition.clone();
    };
    Expr::BinaryOp {
        left: Box::new(Expr::Nested(Box::new(operand.clone()))),
        op: BinaryOperator::Eq,
        right: Box::new(Expr::Nested(Box::new(condition.clone()))),
    }
}

/// The branches of an IIF, each a condition with what it gives, and what is given else.
pub(super) fn pairs<'a>(arguments: &[&'a Expr]) -> (impl Iterator<Item = (&'a Expr, &'a Expr)>, Option<&'a Expr>) {
    let otherwise = arguments.chunks_exact(2).remainder().first().copied();
    (arguments.chunks_exact(2).map(|pair| (pair[0], pair[1])), otherwise)
}
