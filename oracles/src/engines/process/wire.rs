//! Values as bytes: integers in little-endian order, lists with their length before them, variants with a number before them.

use std::sync::Arc;

/// What can be written to a frame and read from one.
pub(super) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);

    /// Reads a value and moves on. `None` if there is none.
    fn take(input: &mut &[u8]) -> Option<Self>;
}

/// A value from a whole frame.
pub(super) fn decoded<T: Wire>(mut frame: &[u8]) -> Option<T> {
    let value = T::take(&mut frame)?;
    frame.is_empty().then_some(value)
}

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl Wire for $integer {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(input: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = input.split_first_chunk()?;
                *input = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        })*
    };
}

integers!(u8, u32, u64, u128);

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        match u8::take(input)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// Bytes, which are copied as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bytes(pub Vec<u8>);

impl Wire for Bytes {
    fn put(&self, out: &mut Vec<u8>) {
        length(self.0.len()).put(out);
        out.extend_from_slice(&self.0);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let length = u32::take(input)? as usize;
        let (bytes, rest) = input.split_at_checked(length)?;
        *input = rest;
        Some(Self(bytes.to_vec()))
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        length(self.len()).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(Bytes::take(input)?.0).ok()
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        length(self.len()).put(out);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let length = u32::take(input)?;
        (0..length).map(|_| T::take(input)).collect()
    }
}

impl Wire for Arc<str> {
    fn put(&self, out: &mut Vec<u8>) {
        length(self.len()).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        String::take(input).map(Self::from)
    }
}

impl<T: Wire> Wire for Arc<T> {
    fn put(&self, out: &mut Vec<u8>) {
        T::put(self, out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        T::take(input).map(Self::new)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Some(if bool::take(input)? { Some(T::take(input)?) } else { None })
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Some((A::take(input)?, B::take(input)?))
    }
}

/// The length of a list. Nothing in a frame is as long as that many bytes.
fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Writes the fields of a struct one after the other.
macro_rules! wire_struct {
    ($($name:ident { $($field:ident),* })*) => {
        $(impl $crate::engines::process::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::engines::process::wire::Wire::put(&self.$field, out);)*
            }

            fn take(input: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::engines::process::wire::Wire::take(input)?;)*
                Some(Self { $($field),* })
            }
        })*
    };
}

/// Writes the number of a variant, and then its fields.
macro_rules! wire_enum {
    ($name:ident { $($number:literal $variant:ident $(($($part:ident),*))? $({ $($field:ident),* })?),* $(,)? }) => {
        impl $crate::engines::process::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($($part),*))? $({ $($field),* })? => {
                        out.push($number);
                        $($($crate::engines::process::wire::Wire::put($part, out);)*)?
                        $($($crate::engines::process::wire::Wire::put($field, out);)*)?
                    })*
                }
            }

            fn take(input: &mut &[u8]) -> Option<Self> {
                Some(match u8::take(input)? {
                    $($number => {
                        $($(let $part = $crate::engines::process::wire::Wire::take(input)?;)*)?
                        $($(let $field = $crate::engines::process::wire::Wire::take(input)?;)*)?
                        Self::$variant $(($($part),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    };
}

pub(super) use {wire_enum, wire_struct};
