/** Replaces a method, target or path that could not be read, as in access logs. It matches no route, prefix or guard. */
export const UNREADABLE = "-";
