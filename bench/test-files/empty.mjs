// An empty Node process, the base of the row "test file".
