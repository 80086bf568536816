"""The owner's proof: shown afresh by his password or in a browser, for five minutes a token acts as him in person."""
