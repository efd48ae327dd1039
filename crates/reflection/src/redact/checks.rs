//! A second look at what a pattern found.

use std::net::IpAddr;

/// Whether the digits have the check digit of a payment card (Luhn, ISO/IEC 7812), and are not all the same.
pub(super) fn is_card_number(found: &str) -> bool {
    let digits: Vec<u32> = found.chars().filter_map(|character| character.to_digit(10)).collect();
    let doubled = |(index, digit): (usize, &u32)| match (index % 2, digit * 2) {
        (0, _) => *digit,
        (_, twice) if twice > 9 => twice - 9,
        (_, twice) => twice,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| Some(digit) != digits.first())
}

/// An address of the network, with a digit in it: `a::b` may be a path in a program.
pub(super) fn is_ip_address(found: &str) -> bool {
    found.parse::<IpAddr>().is_ok() && found.chars().any(|character| character.is_ascii_digit())
}

/// Seven to fifteen digits, and written the way people write telephone numbers: with a plus or in brackets.
pub(super) fn is_phone(found: &str) -> bool {
    let digits = found.chars().filter(char::is_ascii_digit).count();
    (7..=15).contains(&digits) && (found.starts_with('+') || found.starts_with('('))
}

/// Whether a long word is drawn at random, as keys are: letters of both cases and digits, and more than 4 bits a
/// character. Hexadecimal digests and UUIDs stay below that, and so do words.
pub(super) fn is_random(found: &str) -> bool {
    let has = |kind: fn(&char) -> bool| found.chars().any(|character| kind(&character));
    has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit) && bits(found) > 4.0
}

/// Shannon's entropy of the characters, in bits for each.
fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = text.len() as f64;
    let share = |count: u32| f64::from(count) / length;
    -counts.iter().filter(|count| **count > 0).map(|count| share(*count) * share(*count).log2()).sum::<f64>()
}
