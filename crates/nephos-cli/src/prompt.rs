//! Prompt for a secret on the terminal.

use std::io::{self, BufRead, Write};

/// Asks for a text on standard error, and reads it from the terminal of standard input without showing it. An interrupt is
/// an error of the kind `Interrupted`, after which the terminal is as before.
#[cfg(unix)]
pub(crate) fn ask(question: &str) -> io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex as Code, tcgetattr, tcsetattr};
    let input = io::stdin();
    let original = tcgetattr(&input)?;
    let mut silent = original.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    // Keys that would end the program end the line instead, so that the terminal can be restored.
    let interrupts = [(Code::VINTR, Code::VEOL), (Code::VQUIT, Code::VEOL2)].map(|(key, end)| {
        silent.special_codes[end] = original.special_codes[key];
        silent.special_codes[key] = DISABLED;
        original.special_codes[key]
    });
    tcsetattr(&input, OptionalActions::Flush, &silent)?;
    let read = write!(io::stderr(), "{question}").and_then(|()| read_line(&mut input.lock(), interrupts));
    tcsetattr(&input, OptionalActions::Flush, &original)?;
    // The line break was not shown either.
    let _ = writeln!(io::stderr());
    read
}

/// Asks for a text on standard error, and reads it from the terminal without showing it.
#[cfg(not(unix))]
pub(crate) fn ask(question: &str) -> io::Result<String> {
    let terminal = console::Term::stderr();
    terminal.write_str(question)?;
    terminal.read_secure_line()
}

/// Code of a key without a function.
#[cfg(unix)]
const DISABLED: u8 = 0;

/// Reads a line without its end.
#[cfg(unix)]
fn read_line(input: &mut dyn BufRead, interrupts: [u8; 2]) -> io::Result<String> {
    let is_interrupt = |byte: u8| byte != DISABLED && interrupts.contains(&byte);
    let mut line = Vec::new();
    loop {
        let read = input.fill_buf()?;
        let end = read.iter().position(|byte| *byte == b'\n' || is_interrupt(*byte));
        line.extend_from_slice(&read[..end.unwrap_or(read.len())]);
        let (ending, length) = (end.map(|end| read[end]), end.map_or(read.len(), |end| end + 1));
        input.consume(length);
        match ending {
            Some(byte) if is_interrupt(byte) => return Err(io::ErrorKind::Interrupted.into()),
            None if length > 0 => {}
            _ => break,
        }
    }
    if line.ends_with(b"\r") {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "is not valid UTF-8"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn line_ends_at_a_line_break_or_an_interrupt() {
        let read = |mut typed: &[u8]| (read_line(&mut typed, [3, 28]), typed.len());
        assert!(matches!(read(b"typed\nrest"), (Ok(line), 4) if line == "typed"));
        assert!(matches!(read(b"typed\r\n"), (Ok(line), 0) if line == "typed"));
        assert!(matches!(read(b"end"), (Ok(line), 0) if line == "end"));
        for typed in [b"typ\x03", b"\x1c123"] {
            assert_eq!(read(typed).0.unwrap_err().kind(), io::ErrorKind::Interrupted);
        }
        assert_eq!(read(b"\xff\n").0.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
