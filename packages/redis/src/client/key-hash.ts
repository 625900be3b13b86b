import { hash } from "node:crypto";

/** Returns a key of fixed length for client input: unreadable in Redis and without braces. */
export const keyHash = (text: string): string => hash("sha256", Buffer.from(text, "utf16le"), "base64url");
