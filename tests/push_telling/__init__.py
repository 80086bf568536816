"""What agents are told of push messages: the block, injections, tools, @channels."""
