const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Whether a text is a token (RFC 9110 5.6.2), as names of fields, cookies and methods are. */
export const isToken = (text: string): boolean => TOKEN.test(text);
