import { hash } from "node:crypto";

/** A key of one length for other people's text, which is neither shown to who reads Redis nor cut at a brace. */
export const keyHash = (text: string): string => hash("sha256", Buffer.from(text, "utf16le"), "base64url");
