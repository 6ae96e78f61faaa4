//! Elements of HTML and SVG, and scales: what the pages of campaigns and of the benchmark are drawn with.

pub mod chart;
pub mod markup;
pub mod scale;
