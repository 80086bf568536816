"""The owner's verbs of the client: proof, grants, topics, posts in person; none of them within an agent's tree."""
