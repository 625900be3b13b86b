/** Maximum characters in a status message, which is sent in a header field. */
const MAX_MESSAGE = 1024;
/** Maximum bytes of a percent-encoded message: the longest message in ASCII always fits. */
const MAX_ENCODED = 3072;

/** Returns a message that can be sent: shortened to the limits, and without lone surrogates, which cannot be percent-encoded. */
export const statusMessage = (message: string): string => {
  let text = message.slice(0, MAX_MESSAGE).toWellFormed();
  for (let encoded = encodedLength(text); encoded > MAX_ENCODED; encoded = encodedLength(text))
    text = text.slice(0, Math.floor((text.length * MAX_ENCODED) / encoded)).toWellFormed();
  return text;
};

/** Maximum bytes of well-formed text in `grpc-message`; HTTP/2 endpoints leave more characters unencoded. */
export const encodedLength = (text: string): number => encodeURIComponent(text).length;
