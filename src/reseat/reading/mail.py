"""Mail: the texts of messages in a mailbox or in files of their own, whatever encodes them."""

import email
import email.policy
import html
import re
from email.message import EmailMessage

from reseat.files.texts import composed

#: Line with which a message begins in a mailbox (mbox), and what stands for it within a message.
BEGINNING = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
#: Lines before the first blank line that are the header of a message.
HEADER = re.compile(rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+(?=\r?\n)")
#: Fields of a header after which the text is not what it looks like.
ENCODED = re.compile(
    rb"^(?:content-transfer-encoding:\s*(?:base64|quoted-printable)|content-type:\s*multipart/)",
    re.IGNORECASE | re.MULTILINE,
)
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
    """Return subject and body of a message; the body is its plain text, or else its HTML page."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    text = "" if body is None else _decoded(body)
    if body is not None and body.get_content_subtype() == "html":
        text = html.unescape(TAG.sub(" ", text))
    text = f"{message['subject'] or ''}\n{text}"
    return composed(text.encode("utf-8", "replace").decode())


def _decoded(body: EmailMessage) -> str:
    """Return the text of a part of a message; many name no character set or a wrong one."""
    content = body.get_payload(decode=True)
    for charset in (body.get_content_charset(), "utf-8"):
        try:
            return content.decode(charset or "utf-8")
        except (LookupError, UnicodeDecodeError):
            continue
    return content.decode("latin-1")
