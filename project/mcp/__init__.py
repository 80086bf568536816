"""The MCP door: `/mcp`, both protocol eras, on the SDK's stateless manager."""
