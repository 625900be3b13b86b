/** Stands for a method, a target or a path that could not be read, as in access logs; no route, prefix or guard takes it for one. */
export const UNREADABLE = "-";
