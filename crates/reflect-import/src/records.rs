//! The records of a file one after the other: lines of JSON, a list, or a list inside the page of an API.

use std::{fmt, io::BufRead};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::ConvertError;

/// Names under which tools put the list of a page.
const LISTS: [&str; 4] = ["data", "results", "memories", "runs"];

type Each<'a> = &'a mut dyn FnMut(u64, Value) -> Result<(), ConvertError>;

/// Reads a file record by record; only one is held at a time.
pub(crate) fn each(mut file: impl BufRead, each: Each<'_>) -> Result<(), ConvertError> {
    let (mut number, mut refused) = (0, None);
    while skip_space(&mut file).map_err(|error| unreadable(number, serde_json::Error::io(error)))? {
        let mut reader = serde_json::Deserializer::from_reader(&mut file);
        let read = Records { number: &mut number, refused: &mut refused, each: &mut *each }.deserialize(&mut reader);
        match refused.take() {
            Some(refused) => return Err(refused),
            None => read.map_err(|error| unreadable(number, error))?,
        }
    }
    Ok(())
}

fn unreadable(number: u64, source: serde_json::Error) -> ConvertError {
    ConvertError::Json { record: number + 1, source }
}

/// Whether anything follows.
fn skip_space(file: &mut impl BufRead) -> std::io::Result<bool> {
    loop {
        let bytes = file.fill_buf()?;
        let (space, length) = (bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count(), bytes.len());
        file.consume(space);
        if space < length || length == 0 {
            return Ok(length > 0);
        }
    }
}

/// A record, or a list of them.
struct Records<'a> {
    number: &'a mut u64,
    refused: &'a mut Option<ConvertError>,
    each: Each<'a>,
}

impl Records<'_> {
    fn take<E: Error>(&mut self, record: Value) -> Result<(), E> {
        *self.number += 1;
        (self.each)(*self.number, record).map_err(|refused| {
            *self.refused = Some(refused);
            E::custom("refused")
        })
    }

    fn again(&mut self) -> Records<'_> {
        Records { number: self.number, refused: self.refused, each: self.each }
    }
}

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(record) = list.next_element::<Value>()? {
            self.take(record)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let (mut record, mut is_page) = (Map::new(), false);
        while let Some(key) = map.next_key::<String>()? {
            if LISTS.contains(&key.as_str()) {
                map.next_value_seed(self.again())?;
                is_page = true;
            } else {
                record.insert(key, map.next_value()?);
            }
        }
        if is_page { Ok(()) } else { self.take(Value::Object(record)) }
    }
}
