/** Returns the name of a table of one version. Programs read a SQL view with the plain name, which selects from the live version. */
export const tableOf = (table: string, version: number): string => `${table}_v${version}`;
