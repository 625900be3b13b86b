/** A preload that freezes `process.uptime`: under valgrind all code is about 50 times slower, and a server would classify every handler as slow. */
process.uptime = () => 1;
