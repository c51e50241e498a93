//! Groups the findings of a document by the rules that they break, as all reports show them.

use crate::{Finding, Findings, Rule, Severity};

/// A rule that a document breaks, how often, and where first.
#[derive(Debug, Clone)]
pub struct BrokenRule<'a> {
    /// The rule.
    pub rule: &'static Rule,
    /// How often it is broken.
    pub count: u64,
    /// The findings that are kept in full, in the order of their lines.
    pub findings: Vec<&'a Finding>,
}

impl BrokenRule<'_> {
    /// How many findings a report leaves out that shows at most `limit` of each rule.
    pub fn left_out(&self, limit: usize) -> u64 {
        self.count.saturating_sub(self.findings.len().min(limit) as u64)
    }
}

impl Findings {
    /// The broken rules, the gravest first, then in the order in which they are first broken.
    pub fn broken_rules(&self) -> Vec<BrokenRule<'_>> {
        let mut rules: Vec<BrokenRule<'_>> = Vec::new();
        for finding in self {
            match rules.iter_mut().find(|known| known.rule.id == finding.rule.id) {
                Some(known) => known.findings.push(finding),
                None => rules.push(BrokenRule {
                    rule: finding.rule,
                    count: self.count(finding.rule.id),
                    findings: vec![finding],
                }),
            }
        }
        rules.sort_by_key(|broken| std::cmp::Reverse(broken.rule.severity));
        rules
    }

    /// The severities that occur, the gravest first, with the number of findings of each.
    pub fn by_severity(&self) -> impl Iterator<Item = (Severity, u64)> + '_ {
        let all = Severity::ALL.into_iter().map(|severity| (severity, self.of(severity)));
        all.filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use crate::{CheckOptions, Severity, check};

    #[test]
    fn findings_are_grouped_by_rule_and_the_gravest_comes_first() {
        let entries: String = (0..30)
            .map(|number| format!("<url><loc>/{number}</loc><priority>x</priority></url>\n"))
            .collect();
        let text = format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>"
        );
        let findings = check(text.as_bytes(), &CheckOptions::default()).unwrap().findings;
        let rules = findings.broken_rules();
        assert!(rules.is_sorted_by(|one, next| one.rule.severity >= next.rule.severity));
        let relative = &rules[0];
        assert_eq!((relative.rule.severity, relative.count), (Severity::Error, 30));
        assert_eq!((relative.left_out(3), relative.left_out(usize::MAX)), (27, 10));
        let sum: u64 = findings.by_severity().map(|(_, count)| count).sum();
        assert_eq!(sum, rules.iter().map(|broken| broken.count).sum::<u64>());
    }
}
