/** What every server requires of a token: HS256 with this secret, issuer and audience, and a time of expiry in the future. */
export const ALGORITHM = "HS256";
export const SECRET = "a secret of the bench, of more than 32 bytes";
export const ISSUER = "https://login.example";
export const AUDIENCE = "https://books.example";

/** Tokens that a server remembers, where it can. */
export const REMEMBERED = 1000;
