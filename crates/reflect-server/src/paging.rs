//! Lists that are read a page at a time.

use axum::http::{HeaderName, HeaderValue, Uri, header};

/// A `Link` to the page that starts after `cursor`: the same request, continued.
pub(crate) fn next_link(uri: &Uri, cursor: &str) -> (HeaderName, HeaderValue) {
    let others =
        uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="));
    let query: Vec<&str> = others.collect();
    let joint = if query.is_empty() { "" } else { "&" };
    let link = format!("<{}?{}{joint}cursor={cursor}>; rel=\"next\"", uri.path(), query.join("&"));
    // Made of a URI that was parsed and of an id: always fit for a header.
    (header::LINK, HeaderValue::from_str(&link).unwrap_or_else(|_| HeaderValue::from_static("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_keeps_the_filters_and_moves_the_cursor() {
        let link = |uri: &'static str| next_link(&Uri::from_static(uri), "c2").1;
        assert_eq!(
            link("/traces?limit=5&cursor=c1&model=x%20y"),
            "</traces?limit=5&model=x%20y&cursor=c2>; rel=\"next\""
        );
        assert_eq!(link("/traces"), "</traces?cursor=c2>; rel=\"next\"");
    }
}
