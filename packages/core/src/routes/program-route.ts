/** Option of routes that features add on behalf of the program. */
export interface ProgramRouteOption {
  /**
   * Whether the route is one of the program, such as the endpoint of a command that the program defined: it is in the API document, and its replies may be
   * cached. @default false
   */
  readonly ofProgram?: boolean;
}
