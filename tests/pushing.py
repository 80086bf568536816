"""What tests of the push inbox make: push servers, push messages, rules."""
