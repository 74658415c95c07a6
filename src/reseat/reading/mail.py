"""Mail: the texts of messages in a mailbox or in files of their own, whatever encodes them."""

import codecs
import email
import email.policy
import html
import re
from email.header import decode_header
from email.message import EmailMessage

from reseat.files.texts import composed

#: Line above a header with which a message of an mbox begins, and what stands for it in a message.
BEGINNING = re.compile(
    rb"(?:\A(?:\xef\xbb\xbf)?\s*|(?<=\n\n)|(?<=\n\r\n)|(?<=\n)(?=From [^\n]* [12][0-9]{3}\b))"
    rb"From [^\n]*\n(?=[!-9;-~]+:)"
)
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
#: Lines before the first blank line that are the header of a message.
HEADER = re.compile(rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+(?=\r?\n)")
#: Fields of a header after which the text is not what it looks like.
ENCODED = re.compile(
    rb"^(?:content-transfer-encoding:\s*(?:base64|quoted-printable)|content-type:\s*multipart/)",
    re.IGNORECASE | re.MULTILINE,
)
#: Character sets that texts are written in of which a header only names a part, or an old name.
WIDER = {
    "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030",
    "euc_kr": "cp949", "shift_jis": "cp932",
}  # fmt: skip
#: What is added to a name of a character set, such as the direction of Hebrew, or written into it.
ADDED, INSERTED = re.compile(r"-[ei]$"), re.compile(r"(?<=^cp)-")
UNKNOWN = re.compile("[\ufffd\ud800-\udfff]")  # letters that the parser could not read
TAG = re.compile(r"<(?:style|script)\b.*?</(?:style|script)>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def is_mailbox(start: bytes) -> bool:
    """Return whether a file begins as a mailbox does: that line, and the header of a message."""
    first = BEGINNING.match(start)
    return first is not None and HEADER.match(start, first.end()) is not None


def is_message(content: bytes) -> bool:
    """Return whether a text begins with the header of a message."""
    return HEADER.match(content) is not None


def is_encoded(content: bytes) -> bool:
    """Return whether a text is a message whose body has to be decoded."""
    header = HEADER.match(content)
    return header is not None and ENCODED.search(header[0]) is not None


def texts_of_mailbox(content: bytes) -> list[str]:
    """Return subject and body of each message of a mailbox."""
    messages = BEGINNING.split(content)[1:]
    return [text_of_message(QUOTED.sub(rb"\1", message)) for message in messages]


def text_of_message(content: bytes) -> str:
    """Return subject and body of a message: its plain text, or its HTML page, or all its texts."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    parts = [body] if body is not None else message.walk()
    texts = [_text_of_part(part) for part in parts if not part.is_multipart()]
    return composed("\n".join([_subject(message), *texts]))


def _text_of_part(part: EmailMessage) -> str:
    """Return the text of a part of a message, or nothing if it is a picture or the like."""
    if part.get_content_maintype() not in ("text", "multipart"):
        return ""
    encoding = str(part.get("content-transfer-encoding", "")).split()[:1]
    if encoding:  # without the blanks and comments that the parser stumbles over
        part.replace_header("content-transfer-encoding", encoding[0])
    text = _decoded(part.get_payload(decode=True), part.get_content_charset())
    plain = part.get_content_subtype() not in ("html", "enriched")
    return text if plain else html.unescape(TAG.sub(" ", text))


def _subject(message: EmailMessage) -> str:
    """Return the subject; its letters may be those of the body, without saying so."""
    subject = str(message["subject"] or "")
    if subject.isascii() or not UNKNOWN.search(subject):
        return subject
    raw = next(value for name, value in message.raw_items() if name.lower() == "subject")
    if not raw.isascii():
        return _decoded(raw.encode("ascii", "surrogateescape"), message.get_content_charset())
    return "".join(_decoded(*part) for part in decode_header(raw))


def _decoded(content: bytes, charset: str | None) -> str:
    """Return the text of bytes; many messages name no character set or a wrong one."""
    for name in (charset, "utf-8"):
        try:
            known = codecs.lookup(INSERTED.sub("", ADDED.sub("", name or "utf-8"))).name
            if known == "ascii":
                continue
            return content.decode(WIDER.get(known, known))
        except (LookupError, ValueError):
            continue
    return content.decode("cp1252", "replace")
