"""Facts on their way in and out of documents: what travels in metadata, what users give, how readings are joined."""
