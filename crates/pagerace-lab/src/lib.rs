//! Race plans, runner, statistics, tables, exports and the HTML report.
