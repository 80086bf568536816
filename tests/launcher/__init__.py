"""The launcher beside an agent: real processes, real terminals, and a stand-in for the hub."""
