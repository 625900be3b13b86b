const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Whether a string is a token (RFC 9110 5.6.2), the syntax of field names, cookie names and methods. */
export const isToken = (text: string): boolean => TOKEN.test(text);
